// The connections of a client for one kind of call: a bounded pool.
#pragma once

#include <memory>
#include <vector>

#include "base/mutex.h"
#include "rpc/connection.h"

namespace dl::rpc {

// Thread-safe. Options and watchdog outlive it.
class Lane {
 public:
  Lane(int size, const ClientOptions& options, Watchdog* watchdog)
      : size_(size), options_(options), watchdog_(watchdog) {}

  // An idle connection, the last used first, or a new one; waits while all are in use, and, with
  // pauses, while the master has no room for one more. What it gives goes back through Return,
  // whatever happened on it.
  StatusOr<std::unique_ptr<Connection>> Take(Instant deadline);
  void Return(std::unique_ptr<Connection> connection);

  // Take fails with Cancelled from now on.
  void Close();

 private:
  // Waits for the right to one connection; an idle one, or null when one is to be opened.
  StatusOr<std::unique_ptr<Connection>> WaitForPlace(Instant deadline);

  // False when there is no time left to try again.
  bool WaitWhileFull(Instant until, Instant deadline) DL_EXCLUDES(mutex_);

  const int size_;
  const ClientOptions& options_;
  Watchdog* const watchdog_;
  Mutex mutex_;
  CondVar changed_;
  bool closed_ DL_GUARDED_BY(mutex_) = false;
  int in_use_ DL_GUARDED_BY(mutex_) = 0;
  std::vector<std::unique_ptr<Connection>> idle_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::rpc
