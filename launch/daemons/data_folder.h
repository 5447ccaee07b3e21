// Ensures that a data folder is open in only one process at a time, if its file system shares locks
// between machines (else launch/daemons/folder_fence.h). The file DATA_DIR/holder names this
// process and the addresses at which it answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"

namespace dl::launch {

struct FolderHolder {
  int64_t pid = 0;      // 0: the file is not written yet or cannot be read
  std::string command;  // "dl-submit run lenet_fashion_mnist"
  // Address for calls from this machine: "dl://127.0.0.1:7077". Empty if the holder does not answer
  // them, or not yet.
  std::string master;
  std::string machine;  // host name of the holder; empty if it runs on this machine
};

// Addresses at which a holder answers.
struct HolderAddresses {
  std::string on_its_machine;     // on its own machine
  std::string on_other_machines;  // on other machines; empty: it does not answer them
};

class DataFolder {
 public:
  // Opens the folder, and creates it for its owner alone if it does not exist. Returns
  // FailedPrecondition, which names the holder, if another process has the folder, and errors of
  // the file system. If the disk is full, opens the folder, but the file does not name the holder.
  // The lock ends with this object or with the process, also if the process is killed.
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

// Returns the command whose child process the holder is. This command also ends the holder, as
// `run` on local-cluster[N] ends its master. Returns nullopt if the parent process is no dl-submit
// command or is unknown, or if the holder runs on another machine.
std::optional<FolderHolder> HolderIfCommand(const FolderHolder& holder);

// Returns whether a master has ever stored its state in the folder.
bool HasStore(const std::string& path);

// Returns FailedPrecondition: "the data folder is in use by process 71 (dl-submit run job.json)",
// with a remedy.
Status FolderInUse(const std::string& path, const FolderHolder& holder);

}  // namespace dl::launch
