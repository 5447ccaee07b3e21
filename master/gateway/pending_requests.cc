#include "master/gateway/pending_requests.h"

namespace dl::master {
namespace {

Status Stopping() {
  return Unavailable(
      {.message = "the master is stopping", .remedy = "Try again after it has restarted"});
}

}  // namespace

StatusOr<Reply> PendingRequests::SendAndWait(uint64_t token, Event event, Duration deadline) {
  const Instant end = Clock::Real().Now() + deadline;
  auto waiter = std::make_shared<Waiter>();
  MutexLock lock(mutex_);
  if (closed_) return Stopping();
  if (static_cast<int64_t>(waiters_.size()) >= most_) {
    return Unavailable(
        {.message = "too many requests wait for the master", .remedy = "Try again later"});
  }
  if (!events_.Offer(std::move(event))) {
    return Unavailable({.message = "the master's disk does not respond, and the queue of requests "
                                   "that wait for it is full",
                        .remedy = "Try again later"});
  }
  waiters_[token] = waiter;
  while (!waiter->done && !closed_) {
    const Duration left = end - Clock::Real().Now();
    if (left <= Duration::zero()) break;
    waiter->woken.WaitFor(mutex_, left);
    ++wake_ups_;
  }
  waiters_.erase(token);
  if (!waiter->done)
    return closed_
               ? Stopping()
               : DeadlineExceeded({.message = "the master did not answer within the time limit"});
  if (!waiter->status.ok()) return waiter->status;
  return std::move(waiter->reply);
}

void PendingRequests::Deliver(Answer& answer) {
  std::shared_ptr<Waiter> waiter;
  {
    MutexLock lock(mutex_);
    auto found = waiters_.find(answer.token);
    if (found == waiters_.end()) return;  // the caller gave up waiting and will ask again
    waiter = found->second;
    waiter->status = std::move(answer.status);
    waiter->reply = std::move(answer.reply);
    waiter->done = true;
  }
  waiter->woken.NotifyOne();  // without the lock, for which it would only wait
}

void PendingRequests::Close() {
  MutexLock lock(mutex_);
  closed_ = true;
  for (const auto& [token, waiter] : waiters_) waiter->woken.NotifyOne();
  closing_.NotifyAll();
}

void PendingRequests::WaitForClose(Duration limit) {
  const Instant deadline = Clock::Real().Now() + limit;
  MutexLock lock(mutex_);
  while (!closed_) {
    const Duration left = deadline - Clock::Real().Now();
    if (left <= Duration::zero()) break;
    closing_.WaitFor(mutex_, left);
  }
}

int64_t PendingRequests::waiting() {
  MutexLock lock(mutex_);
  return static_cast<int64_t>(waiters_.size());
}

int64_t PendingRequests::wake_ups() {
  MutexLock lock(mutex_);
  return wake_ups_;
}

}  // namespace dl::master
