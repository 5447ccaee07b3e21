// A child process that is restarted when it ends, for clusters without a service manager.
#pragma once

#include <memory>
#include <optional>

#include "base/clock.h"
#include "base/process.h"
#include "base/status.h"

namespace dl::launch {

// Not thread-safe.
class SupervisedProcess {
 public:
  enum class Restart {
    kAlways,      // after every end
    kAfterCrash,  // after a signal or an internal error (exit code 70), until Stop()
  };
  // Starts the process. Returns the errors of Spawner::Start.
  static StatusOr<SupervisedProcess> Start(SpawnOptions options,
                                           Restart restart = Restart::kAlways);

  // Restarts the process if it has ended in a way for which it is restarted. Returns Unavailable,
  // which names how it ended, if it ended ten times in a row after less than ten seconds, and
  // errors of Spawner::Start. With kAlways, must not be called after Stop().
  Status Check();
  // Returns how the process ended, if Check() found that it has ended and did not restart it.
  const std::optional<ExitStatus>& ended() const { return ended_; }
  void Stop();  // sends SIGTERM and does not wait; with kAfterCrash the process is not restarted
  // Waits for the end. Returns false if the process still runs after `timeout`; the destructor then
  // kills it. Must be called after Stop().
  bool WaitForEnd(Duration timeout);

 private:
  SupervisedProcess(SpawnOptions options, Restart restart)
      : options_(std::move(options)), restart_(restart) {}
  Status Begin();
  bool IsWanted(const ExitStatus& ended) const;

  SpawnOptions options_;
  Restart restart_;
  std::unique_ptr<ChildProcess> process_;
  Instant started_;
  int short_runs_ = 0;
  bool stopped_ = false;
  std::optional<ExitStatus> ended_;
};

// Runs a process in the foreground and restarts it after a crash, until it ends in another way.
// Sends it a SIGTERM for each signal that StopSignal receives. Returns how the process ended, or an
// error of Start or Check. REQUIRES: no StopSignal exists.
StatusOr<ExitStatus> RunSupervised(SpawnOptions options);

}  // namespace dl::launch
