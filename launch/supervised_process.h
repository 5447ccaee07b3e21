// A child process that is started again when it ends: somebody has to, and nobody else is there.
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
  enum class Restart { kAlways, kAfterCrash };
  static StatusOr<SupervisedProcess> Start(SpawnOptions options,
                                           Restart restart = Restart::kAlways);

  // Starts it again if it has ended; kAfterCrash: if a signal ended it, or a defect of its own
  // (exit code 70). Unavailable, with how it ended, when it does not stay up: ten times in a row it
  // lived for less than ten seconds.
  Status Check();
  // How it ended, once it is not started again.
  const std::optional<ExitStatus>& ended() const { return ended_; }
  void Stop();  // SIGTERM, without waiting; kAfterCrash: it is not started again
  // Behind Stop(). False when it still runs after `timeout`; its destructor kills it then.
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
  int short_lives_ = 0;
  bool stopped_ = false;
  std::optional<ExitStatus> ended_;
};

// Runs it in the foreground and starts it again after a crash, until it ends otherwise, as it does
// after SIGTERM or SIGINT, which are passed on. How it ended; Unavailable as of Check().
StatusOr<ExitStatus> KeepUp(SpawnOptions options);

}  // namespace dl::launch
