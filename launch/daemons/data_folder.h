// Ensures that a data folder is open in only one process at a time. The file DATA_DIR/holder names
// this process and the address at which it answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"

namespace dl::launch {

struct FolderHolder {
  int64_t pid = 0;      // 0: not written yet
  std::string command;  // "dl-submit run lenet_fashion_mnist"
  // "dl://127.0.0.1:7077"; empty: the holder does not answer calls from this machine (yet).
  std::string master;
  std::string machine;  // host name of the holder, if it runs on another machine
};

// Addresses at which a holder answers.
struct HolderAddresses {
  std::string here;       // on its own machine
  std::string elsewhere;  // on other machines; empty: it does not answer them
};

class DataFolder {
 public:
  // Opens the folder, and creates it for its owner alone if it does not exist. Returns
  // FailedPrecondition, which names the holder, if another process has the folder, and errors of
  // the file system. A full disk is no error: the holder is then unnamed. The lock ends with this
  // object or with the process, also if the process is killed.
  static StatusOr<DataFolder> Open(const std::string& path);
  ~DataFolder();
  DataFolder(DataFolder&& other) noexcept;
  DataFolder& operator=(DataFolder&&) = delete;

  // Records the addresses at which this process answers for the folder. Returns errors of the file.
  Status Announce(const HolderAddresses& addresses);

  // Returns the current holder; nullopt if no process holds the folder, or if this process may not
  // open the file of the holder. Does not disturb the holder.
  static std::optional<FolderHolder> Holder(const std::string& path);

 private:
  explicit DataFolder(int fd) : fd_(fd) {}
  int fd_;
};

// Returns the command that started the holder for itself and will end it, such as `run` on
// local-cluster[N] for its master. Returns nullopt if the holder was started independently, or if
// its parent is unknown.
std::optional<FolderHolder> CommandOfHolder(const FolderHolder& holder);

// Returns whether a master has ever stored its state in the folder.
bool HasStore(const std::string& path);

// Returns FailedPrecondition: "the data folder is in use by process 71 (dl-submit run job.json)",
// with a remedy.
Status FolderInUse(const std::string& path, const FolderHolder& holder);

}  // namespace dl::launch
