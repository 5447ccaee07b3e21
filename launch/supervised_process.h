// A child process of a local cluster that is started again when it ends: somebody has to, and here
// nobody else is there.
#pragma once

#include <memory>

#include "base/clock.h"
#include "base/process.h"
#include "base/status.h"

namespace dl::launch {

// Not thread-safe.
class SupervisedProcess {
 public:
  static StatusOr<SupervisedProcess> Start(SpawnOptions options);

  // Starts it again if it has ended. Unavailable, with how it ended, when it does not stay up: ten
  // times in a row it lived for less than ten seconds.
  Status Check();
  void Stop();  // SIGTERM, without waiting

 private:
  explicit SupervisedProcess(SpawnOptions options) : options_(std::move(options)) {}
  Status Begin();

  SpawnOptions options_;
  std::unique_ptr<ChildProcess> process_;
  Instant started_;
  int short_lives_ = 0;
};

}  // namespace dl::launch
