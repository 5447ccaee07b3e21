// Keeps masters on two machines out of one data folder where the file system does not show locks
// between machines (NFS with nolock, Lustre with localflock, BeeGFS by default).
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

// The content of DATA_DIR/fence. The holder writes it again and again, so a reader on another
// machine sees that the holder lives.
struct FenceMark {
  std::string host;
  std::string token;  // of one process that took the folder
  int64_t beat = 0;
  bool operator==(const FenceMark&) const = default;
};
// None when there is no mark, or it is being written.
std::optional<FenceMark> ReadFence(const std::string& data_dir);
// The host of a process on another machine that is seen to beat within `patience`; none: nothing
// beats, or the mark is of this machine.
std::optional<std::string> HostThatBeats(const std::string& data_dir, const std::string& this_host,
                                         Duration patience);

// REQUIRES: the lock of the folder (DataFolder), which keeps out processes of this machine.
class FolderFence {
 public:
  static constexpr Duration kBeat = std::chrono::seconds(1);
  // Until a beat of another machine is seen here.
  static constexpr Duration kSilence = std::chrono::seconds(8);

  struct Options {
    std::string data_dir;
    std::string host = HostName();
    Duration beat = kBeat, silence = kSilence;
    // Called once, from the fence's thread, when another process has taken the folder: nothing may
    // be written there any more.
    std::function<void(const Status&)> on_lost;
  };
  // Takes the folder. Waits for `silence` where a process on another machine did not give it back.
  // FailedPrecondition when that process is seen to live.
  static StatusOr<std::unique_ptr<FolderFence>> Take(Options options);
  ~FolderFence();  // gives it back, unless it is lost
  // FailedPrecondition when another process has taken the folder, as far as this machine sees.
  // Thread-safe; costs the read of a small file.
  Status Check() const;

 private:
  FolderFence(Options options, FenceMark mark)
      : options_(std::move(options)), mark_(std::move(mark)) {}
  Status Beat();
  void Run() DL_EXCLUDES(mutex_);

  const Options options_;
  FenceMark mark_;  // its beat is of the thread, once that runs; the rest is constant
  Mutex mutex_;
  CondVar stopped_;
  bool stop_ DL_GUARDED_BY(mutex_) = false;
  Thread thread_;
};

}  // namespace dl::launch
