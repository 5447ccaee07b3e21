#include "rpc/connection_pool.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "rpc/connect_error.h"

namespace dl::rpc {

// First come, first served. Otherwise a caller that sends chunk after chunk would take the
// connection again before another caller wakes up.
Status ConnectionPool::WaitInTurn(Instant deadline, int most) {
  const uint64_t turn = next_turn_++;
  waiting_.push_back(turn);
  const Instant growth_at = Clock::Real().Now() + growth_delay_;
  Status status;
  for (;;) {
    const Instant now = Clock::Real().Now();
    const bool has_turn = waiting_.front() == turn && (!idle_.empty() || in_use_ == 0);
    if (closed_) {
      status = Cancelled({.message = "the client is closed",
                          .where = ToString(credential_source_.options().endpoint)});
    } else if (now >= deadline) {
      const Endpoint& master = credential_source_.options().endpoint;
      const bool busy = in_use_ >= most || !has_turn;
      status = TimeoutError(
          busy ? absl::StrCat("all connections to the master on ", master.host, " are busy")
               : absl::StrCat("no time was left for a call to the master on ", master.host),
          master);
    } else if (in_use_ >= most || (!has_turn && now < growth_at)) {
      changed_.WaitFor(mutex_, (now < growth_at ? std::min(deadline, growth_at) : deadline) - now);
      continue;
    }
    break;
  }
  std::erase(waiting_, turn);
  changed_.NotifyAll();  // another caller may be first now
  return status;
}

StatusOr<std::unique_ptr<Connection>> ConnectionPool::WaitForPlace(Instant deadline, int most) {
  const Instant begin = Clock::Real().Now();
  MutexLock lock(mutex_);
  DL_RETURN_IF_ERROR(WaitInTurn(deadline, most));
  ++in_use_;
  if (usage_levels_.size() <= static_cast<size_t>(in_use_)) usage_levels_.resize(in_use_ + 1);
  usage_levels_[in_use_].since = begin;
  std::unique_ptr<Connection> connection;
  if (!idle_.empty()) {
    connection = std::move(idle_.back());
    idle_.pop_back();
  }
  return connection;
}

StatusOr<std::unique_ptr<Connection>> ConnectionPool::Take(Instant deadline, int most) {
  Duration pause = limits::kRefusedPause;
  Status refused;  // the last answer that the master is full
  for (;;) {
    DL_ASSIGN_OR_RETURN(std::unique_ptr<Connection> connection, WaitForPlace(deadline, most));
    if (connection != nullptr && connection->IsReusable()) return connection;
    connection.reset();
    bool full = false;
    auto opened = Connection::Open(credential_source_, watchdog_, deadline, &full);
    if (opened.ok()) return opened;
    Return(nullptr);
    if (full) refused = opened.status();
    // If the deadline cut off the last attempt, the previous error is more informative.
    if (absl::IsDeadlineExceeded(opened.status()) && !refused.ok()) return refused;
    if (!full || !WaitWhileFull(std::min(deadline, Clock::Real().Now() + pause), deadline))
      return opened;
    pause = std::min<Duration>(2 * pause, limits::kMaxRefusedPause);
  }
}

bool ConnectionPool::WaitWhileFull(Instant until, Instant deadline) {
  MutexLock lock(mutex_);
  for (;;) {
    const Instant now = Clock::Real().Now();
    // A connection that another caller returned serves as well as a new one.
    if (closed_ || now >= deadline) return closed_;
    if (!idle_.empty() || now >= until) return true;
    changed_.WaitFor(mutex_, until - now);
  }
}

void ConnectionPool::Return(std::unique_ptr<Connection> connection) {
  MutexLock lock(mutex_);
  const Instant now = Clock::Real().Now();
  UsageLevel& level = usage_levels_[in_use_--];
  if (now - level.since >= growth_delay_) level.last_needed = now;
  if (connection != nullptr && !connection->broken() && !closed_)
    idle_.push_back(std::move(connection));
  changed_.NotifyAll();
}

void ConnectionPool::CloseSpare() {
  MutexLock lock(mutex_);
  const Instant now = Clock::Real().Now();
  int needed = static_cast<int>(usage_levels_.size()) - 1;
  while (needed > 1 &&
         now - usage_levels_[needed].last_needed >= credential_source_.options().spare_timeout)
    --needed;
  const int kept = std::max({needed, in_use_, 1}) - in_use_;
  while (static_cast<int>(idle_.size()) > kept) idle_.erase(idle_.begin());
}

void ConnectionPool::Close() {
  MutexLock lock(mutex_);
  closed_ = true;
  idle_.clear();
  changed_.NotifyAll();
}

}  // namespace dl::rpc
