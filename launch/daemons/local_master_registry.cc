#include "launch/daemons/local_master_registry.h"

#include <sys/stat.h>
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
#include "launch/daemons/boot_id.h"
#include "launch/daemons/data_folder.h"
#include "launch/user.h"
#include "rpc/socket_owner.h"

namespace dl::launch {
namespace {

std::vector<std::string> EntriesFolders() {
  std::vector<std::string> folders = HomeFolders();
  for (std::string& folder : folders) folder += "/.local/state/paravane/masters";
  return folders;
}

struct Entry {
  std::string data_dir;
  std::string network;  // network of the master; empty: written by an older build
};

std::string StringAt(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

// Returns nullopt if the file is missing or incomplete, because another process may be writing or
// removing it.
std::optional<Entry> ReadEntry(const std::string& path) {
  const auto text = ReadFile(path, limits::kMaxHolderBytes);
  const auto json = text.ok() ? ParseJson(*text, path) : text.status();
  if (!json.ok() || !json->is_object()) return std::nullopt;
  Entry entry{.data_dir = StringAt(*json, "data_dir"), .network = StringAt(*json, "network")};
  if (entry.data_dir.empty()) return std::nullopt;
  return entry;
}

// Identifies the network whose ports OwnerOfListener sees: this boot of the machine, and the Linux
// network namespace of this process. A container that shares the home folder has another network.
std::string OwnNetwork() {
  std::error_code error;
  return absl::StrCat(MachineBootId(), " ",
                      std::filesystem::read_symlink("/proc/self/ns/net", error).string());
}

// Detects whether a file was replaced or changed since this object was made.
class FileIdentity {
 public:
  explicit FileIdentity(const std::string& path) {
    if (stat(path.c_str(), &status_) != 0) status_ = {};
  }
  bool operator==(const FileIdentity& other) const {
    return status_.st_ino == other.status_.st_ino &&
           status_.st_ctim.tv_sec == other.status_.st_ctim.tv_sec &&
           status_.st_ctim.tv_nsec == other.status_.st_ctim.tv_nsec;
  }

 private:
  struct stat status_ = {};
};

// Removes entries of masters that have ended. A master writes its entry only when it listens, so an
// entry without a listener is old. Masters in another network cannot be seen from here, and maybe
// not even their folders.
void RemoveOld(const std::string& folder) {
  const std::string own_network = OwnNetwork();
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    const std::string path = it->path().string();
    const FileIdentity before(path);
    const auto entry = ReadEntry(path);
    int port = 0;
    if (!absl::SimpleAtoi(it->path().filename().string(), &port) || !entry) continue;
    const bool here = entry->network.empty() ? !DataFolder::Holder(entry->data_dir)
                                             : entry->network == own_network;
    // A master that has started in the meantime has replaced the file.
    if (here && !rpc::OwnerOfListener(port) && before == FileIdentity(path)) unlink(path.c_str());
  }
}

Status WriteEntry(const std::string& folder, const std::string& path, const std::string& data_dir) {
  DL_RETURN_IF_ERROR(CreateSecretFolder(folder));
  return AtomicWriteSecret(path,
                           JsonText({{"data_dir", data_dir}, {"network", OwnNetwork()}}) + "\n");
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
  // Another master with the same port may have replaced the entry: one with another address, or one
  // on another machine that shares the home folder.
  for (const std::string& path : paths_) {
    const auto entry = ReadEntry(path);
    if (entry && entry->data_dir == data_dir_ && entry->network == OwnNetwork())
      unlink(path.c_str());
  }
}

std::optional<std::string> DataFolderOfMaster(int port) {
  for (const std::string& folder : EntriesFolders()) {
    if (auto found = ReadEntry(absl::StrCat(folder, "/", port))) return found->data_dir;
  }
  return std::nullopt;
}

}  // namespace dl::launch
