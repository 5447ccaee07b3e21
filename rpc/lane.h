// The connections of a client that serve the same calls: one that is kept, and more while callers
// would wait too long for it.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "rpc/connection.h"

namespace dl::rpc {

// Thread-safe. Dialling and watchdog outlive it.
class Lane {
 public:
  // `patience`: how long a call waits for the end of another one before it opens a connection.
  Lane(Duration patience, const Dialling& dialling, Watchdog* watchdog)
      : patience_(patience), dialling_(dialling), watchdog_(watchdog) {}

  // An idle connection, the last used first, or a new one. Waits in turn while all are in use, for
  // longer than the patience only while `most` are; and, with pauses, while the master has no room
  // for one more. What it gives goes back through Return, whatever happened on it.
  StatusOr<std::unique_ptr<Connection>> Take(Instant deadline, int most);
  void Return(std::unique_ptr<Connection> connection);

  // Closes those beside the first that nobody has needed for a while (ClientOptions::spare):
  // without which no call would have waited for longer than the patience. Whoever has the lane
  // calls it now and then.
  void CloseSpare();

  // Take fails with Cancelled from now on.
  void Close();

 private:
  // So many calls at once.
  struct Crowd {
    Instant since;        // this time; the last of them waited from then on
    Instant last_needed;  // when they had been as many for longer than the patience
  };

  // Waits for the right to one connection; an idle one, or null when one is to be opened.
  StatusOr<std::unique_ptr<Connection>> WaitForPlace(Instant deadline, int most)
      DL_EXCLUDES(mutex_);
  Status WaitInTurn(Instant deadline, int most) DL_REQUIRES(mutex_);

  // False when there is no time left to try again.
  bool WaitWhileFull(Instant until, Instant deadline) DL_EXCLUDES(mutex_);

  const Duration patience_;
  const Dialling& dialling_;
  Watchdog* const watchdog_;
  Mutex mutex_;
  CondVar changed_;
  bool closed_ DL_GUARDED_BY(mutex_) = false;
  int in_use_ DL_GUARDED_BY(mutex_) = 0;
  uint64_t next_turn_ DL_GUARDED_BY(mutex_) = 0;
  std::deque<uint64_t> waiting_ DL_GUARDED_BY(mutex_);  // turns, the first comer's first
  std::vector<Crowd> crowds_ DL_GUARDED_BY(mutex_);     // by how many are in use
  std::vector<std::unique_ptr<Connection>> idle_ DL_GUARDED_BY(mutex_);  // the last used last
};

}  // namespace dl::rpc
