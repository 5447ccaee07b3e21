#include "launch/admin_access.h"

#include <filesystem>
#include <system_error>
#include <utility>

namespace dl::launch {

StatusOr<AdminAccess> AdminAccess::Connect(const Target& master, const CredentialSources& sources) {
  AdminAccess access;
  DL_ASSIGN_OR_RETURN(access.client_, ConnectAs(sources, {master.host(), master.port()}));
  return access;
}

StatusOr<AdminAccess> AdminAccess::OpenFolder(const std::string& data_dir) {
  if (const auto holder = DataFolder::Holder(data_dir)) {
    if (holder->master.empty()) return FolderInUse(data_dir, *holder);
    DL_ASSIGN_OR_RETURN(const Target master, ParseTarget(holder->master));
    return Connect(master, {.data_dir = data_dir});
  }
  std::error_code error;
  if (!HasStore(data_dir) && !std::filesystem::exists(data_dir + "/security", error)) {
    return NotFound({.message = "no master has used this data folder",
                     .where = data_dir,
                     .remedy = "Give the master's data folder with --data-dir, or create one: "
                               "dl-submit cluster init --data-dir DIR"});
  }
  AdminAccess access;
  DL_ASSIGN_OR_RETURN(DataFolder folder, DataFolder::Open(data_dir));
  access.folder_.emplace(std::move(folder));
  DL_ASSIGN_OR_RETURN(const auto keys, KeysFor(data_dir, {}));
  DL_ASSIGN_OR_RETURN(access.security_, MasterSecurity::Open(data_dir, keys));
  return access;
}

}  // namespace dl::launch
