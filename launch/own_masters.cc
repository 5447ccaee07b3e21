#include "launch/own_masters.h"

#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/log.h"
#include "launch/data_folder.h"
#include "launch/listener_owner.h"
#include "launch/user.h"

namespace dl::launch {
namespace {

std::vector<std::string> EntriesFolders() {
  std::vector<std::string> folders = HomeFolders();
  for (std::string& folder : folders) folder += "/.local/state/paravane/masters";
  return folders;
}

// Another process may be writing or removing it.
std::optional<std::string> ReadEntry(const std::string& path) {
  const auto text = ReadFile(path, limits::kMaxHolderBytes);
  const auto json = text.ok() ? ParseJson(*text, path) : text.status();
  if (!json.ok() || !json->is_object()) return std::nullopt;
  const auto found = json->find("data_dir");
  if (found == json->end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

// Neither is the folder held nor does anybody listen. One of them alone does not say it: a master
// in another container has a folder that is not to be seen here.
void RemoveOld(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const auto data_dir = ReadEntry(entry.path().string());
    int port = 0;
    if (!absl::SimpleAtoi(entry.path().filename().string(), &port) || !data_dir) continue;
    if (!DataFolder::Holder(*data_dir) && !OwnerOfListener(port)) unlink(entry.path().c_str());
  }
}

Status WriteEntry(const std::string& folder, const std::string& path, const std::string& data_dir) {
  DL_RETURN_IF_ERROR(CreateSecretFolder(folder));
  return AtomicWriteSecret(path, JsonText({{"data_dir", data_dir}}) + "\n");
}

}  // namespace

MasterEntry::MasterEntry(int port, const std::string& data_dir) {
  std::error_code error;
  data_dir_ = std::filesystem::absolute(data_dir, error).string();
  Status failure = NotFound({.message = "this user has no home folder", .where = "HOME"});
  for (const std::string& folder : EntriesFolders()) {
    RemoveOld(folder);
    const std::string path = absl::StrCat(folder, "/", port);
    const Status written = WriteEntry(folder, path, data_dir_);
    if (written.ok()) paths_.push_back(path);
    failure = written;
  }
  if (!paths_.empty()) return;
  LogWarning("commands do not find this master's token by themselves: ", DescribeError(failure),
             "; give them --token-file ", data_dir, "/token");
}

MasterEntry::~MasterEntry() {
  // Another one of the same port may have come since: of another address, or another machine that
  // shares the home folder.
  for (const std::string& path : paths_) {
    if (ReadEntry(path) == data_dir_) unlink(path.c_str());
  }
}

std::optional<std::string> DataFolderOfMaster(int port) {
  for (const std::string& folder : EntriesFolders()) {
    if (auto found = ReadEntry(absl::StrCat(folder, "/", port))) return found;
  }
  return std::nullopt;
}

}  // namespace dl::launch
