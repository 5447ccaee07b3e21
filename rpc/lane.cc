#include "rpc/lane.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"

namespace dl::rpc {

StatusOr<std::unique_ptr<Connection>> Lane::WaitForPlace(Instant deadline) {
  MutexLock lock(mutex_);
  while (!closed_ && in_use_ >= size_) {
    const Instant now = Clock::Real().Now();
    if (now >= deadline) {
      return DeadlineExceeded({.message = "all connections to the master are busy",
                               .where = ToString(options_.endpoint)});
    }
    changed_.WaitFor(mutex_, deadline - now);
  }
  if (closed_)
    return Cancelled({.message = "the client is closed", .where = ToString(options_.endpoint)});
  ++in_use_;
  std::unique_ptr<Connection> connection;
  if (!idle_.empty()) {
    connection = std::move(idle_.back());
    idle_.pop_back();
  }
  return connection;
}

StatusOr<std::unique_ptr<Connection>> Lane::Take(Instant deadline) {
  Duration pause = limits::kRefusedPause;
  for (;;) {
    DL_ASSIGN_OR_RETURN(std::unique_ptr<Connection> connection, WaitForPlace(deadline));
    if (connection != nullptr && connection->Reusable()) return connection;
    connection.reset();
    bool full = false;
    auto opened = Connection::Open(options_, watchdog_, deadline, &full);
    if (opened.ok()) return opened;
    Return(nullptr);
    if (!full || !WaitWhileFull(std::min(deadline, Clock::Real().Now() + pause), deadline))
      return opened;
    pause = std::min<Duration>(2 * pause, limits::kMaxRefusedPause);
  }
}

bool Lane::WaitWhileFull(Instant until, Instant deadline) {
  MutexLock lock(mutex_);
  for (;;) {
    const Instant now = Clock::Real().Now();
    // Another caller's connection serves as well as a new one.
    if (closed_ || now >= deadline) return closed_;
    if (!idle_.empty() || now >= until) return true;
    changed_.WaitFor(mutex_, until - now);
  }
}

void Lane::Return(std::unique_ptr<Connection> connection) {
  MutexLock lock(mutex_);
  --in_use_;
  if (connection != nullptr && !connection->broken() && !closed_)
    idle_.push_back(std::move(connection));
  changed_.NotifyOne();
}

void Lane::Close() {
  MutexLock lock(mutex_);
  closed_ = true;
  idle_.clear();
  changed_.NotifyAll();
}

}  // namespace dl::rpc
