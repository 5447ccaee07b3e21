// The connections of a client for one kind of calls. Keeps one connection open, and opens more if
// callers would wait too long.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "rpc/connection.h"

namespace dl::rpc {

// Thread-safe. `credential_source` and `watchdog`, which is not null, must outlive it.
class ConnectionPool {
 public:
  // `growth_delay`: how long a call waits for another call to end before it opens a connection.
  ConnectionPool(Duration growth_delay, const CredentialSource& credential_source,
                 Watchdog* watchdog)
      : growth_delay_(growth_delay), credential_source_(credential_source), watchdog_(watchdog) {}

  // Returns the most recently used idle connection, or a new connection. While all are in use,
  // callers wait in turn. If fewer than `most` are in use, a caller opens a new connection after it
  // has waited for the growth delay. Otherwise it waits until a connection is returned. While the
  // master is at its connection limit, retries with pauses. Returns the master's refusal, which is
  // Unavailable, if the limit lasts until the deadline. Otherwise returns DeadlineExceeded at the
  // deadline, Cancelled after Close, and the errors of Connection::Open. The caller must give the
  // connection back with Return, also if it is broken.
  StatusOr<std::unique_ptr<Connection>> Take(Instant deadline, int most);
  // Gives back a connection of Take. A broken connection is dropped.
  void Return(std::unique_ptr<Connection> connection);

  // Closes idle connections that were not needed for ClientOptions::spare, but keeps one connection
  // of the pool. A connection was needed if a call would have waited longer than the growth delay
  // without it. Must be called from time to time.
  void CloseSpare();

  // Closes the idle connections, and makes current and later calls of Take return Cancelled.
  void Close();

 private:
  // History of one number of connections in use.
  struct UsageLevel {
    Instant since;        // when the call that last raised the number to this began to wait
    Instant last_needed;  // when a call last needed this many (CloseSpare)
  };

  // Waits for the right to use a connection. Returns an idle one, or null if the caller has to open
  // one.
  StatusOr<std::unique_ptr<Connection>> WaitForPlace(Instant deadline, int most)
      DL_EXCLUDES(mutex_);
  Status WaitInTurn(Instant deadline, int most) DL_REQUIRES(mutex_);

  // Returns false if no time is left for another attempt.
  bool WaitWhileFull(Instant until, Instant deadline) DL_EXCLUDES(mutex_);

  const Duration growth_delay_;
  const CredentialSource& credential_source_;
  Watchdog* const watchdog_;
  Mutex mutex_;
  CondVar changed_;
  bool closed_ DL_GUARDED_BY(mutex_) = false;
  int in_use_ DL_GUARDED_BY(mutex_) = 0;
  uint64_t next_turn_ DL_GUARDED_BY(mutex_) = 0;
  std::deque<uint64_t> waiting_ DL_GUARDED_BY(mutex_);          // turns, in order of arrival
  std::vector<UsageLevel> usage_levels_ DL_GUARDED_BY(mutex_);  // by number of connections in use
  std::vector<std::unique_ptr<Connection>> idle_ DL_GUARDED_BY(mutex_);  // most recently used last
};

}  // namespace dl::rpc
