#include "rpc/lane.h"

#include <utility>

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
  DL_ASSIGN_OR_RETURN(std::unique_ptr<Connection> connection, WaitForPlace(deadline));
  if (connection != nullptr && connection->Reusable()) return connection;
  connection.reset();
  auto opened = Connection::Open(options_, watchdog_, deadline);
  if (!opened.ok()) Return(nullptr);
  return opened;
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
