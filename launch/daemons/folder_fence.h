// Keeps masters on two machines from using one data folder where the file system does not share
// locks between machines (NFS with nolock, Lustre with localflock, BeeGFS by default).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/thread.h"
#include "launch/host_name.h"

namespace dl::launch {

// Content of the file DATA_DIR/fence. The holder rewrites it regularly, so a reader on another
// machine sees that the holder is alive.
struct FenceMark {
  std::string host;
  std::string token;  // unique for each process that took the folder
  int64_t beat = 0;
  bool operator==(const FenceMark&) const = default;
};
// Returns nullopt if no mark exists, or if it is being written.
std::optional<FenceMark> ReadFence(const std::string& data_dir);
// Watches the mark for up to `timeout`. Returns the host that changes it meanwhile. Returns
// nullopt if the mark does not change, does not exist or was written on this machine.
std::optional<std::string> FindActiveHost(const std::string& data_dir, const std::string& this_host,
                                          Duration timeout);

// Owner of the fence of a data folder. REQUIRES: the lock of the folder (DataFolder), which keeps
// out other processes of this machine.
class FolderFence {
 public:
  static constexpr Duration kHeartbeatInterval = std::chrono::seconds(1);
  // How long a beat of another machine may take to become visible here.
  static constexpr Duration kSilenceTimeout = std::chrono::seconds(8);

  struct Options {
    std::string data_dir;
    std::string host = HostName();
    Duration beat = kHeartbeatInterval, silence = kSilenceTimeout;
    // Called at most once, from the fence's thread, when another process has taken the folder. The
    // folder must not be written any more. Must not destroy the fence. REQUIRES: not null.
    std::function<void(const Status&)> on_lost;
  };
  // Takes the folder. Waits for `silence` if a process on another machine did not give it back.
  // Returns FailedPrecondition if that process is alive. A full disk is no error. Other errors are
  // those of the file system and of UniqueNumber.
  static StatusOr<std::unique_ptr<FolderFence>> Take(Options options);
  ~FolderFence();  // gives the folder back, unless it is lost
  // Returns FailedPrecondition if another process has taken the folder, as far as this machine
  // sees. Costs one read of a small file. Thread-safe.
  Status Check() const;

 private:
  FolderFence(Options options, FenceMark mark)
      : options_(std::move(options)), mark_(std::move(mark)) {}
  Status WriteHeartbeat();
  void Run() DL_EXCLUDES(mutex_);

  const Options options_;
  FenceMark mark_;  // `beat` belongs to the thread once it runs; the other members are constant
  Mutex mutex_;
  CondVar stopped_;
  bool stop_ DL_GUARDED_BY(mutex_) = false;
  Thread thread_;
};

}  // namespace dl::launch
