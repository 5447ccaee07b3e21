// Callers that wait for answers of the core. A request gets a token and is added to the event
// queue. The answer finds its caller by the token and wakes no other.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/status.h"
#include "master/core/master_events.h"
#include "master/gateway/master_event_queue.h"

namespace dl::master {

// Thread-safe.
class PendingRequests {
 public:
  // `events` must outlive this object. At most `most` callers wait at the same time.
  PendingRequests(EventQueue& events, int64_t most) : events_(events), most_(most) {}

  // Waits at most `deadline` for the core's answer, and returns its reply or its error. Returns
  // Unavailable after Close(), if `most` callers wait, or if EventQueue::Offer refuses the request
  // because too many bytes wait. Returns DeadlineExceeded if no answer came in time. ReplyType is
  // std::monostate for requests without a reply. Returns Internal if the core answers with another
  // type.
  template <typename ReplyType, typename Request>
  StatusOr<ReplyType> SendRequest(Request request, Duration deadline);
  // Passes the answer to its caller, and moves its contents out. Does nothing if the caller no
  // longer waits.
  void Deliver(Answer& answer) DL_EXCLUDES(mutex_);

  // Makes waiting and later callers return Unavailable.
  void Close() DL_EXCLUDES(mutex_);
  // Returns after Close(), or after `limit`.
  void WaitForClose(Duration limit) DL_EXCLUDES(mutex_);

  // Number of requests so far, including refused requests. It is the token of the last request.
  uint64_t requests() const { return next_token_ - 1; }
  int64_t waiting() DL_EXCLUDES(mutex_);
  // Number of times a caller was woken, including spurious wake-ups and timeouts.
  int64_t wake_ups() DL_EXCLUDES(mutex_);

 private:
  struct Waiter {
    CondVar woken;  // one per caller, so that an answer wakes no other
    bool done = false;
    Status status;
    Reply reply;
  };

  StatusOr<Reply> SendAndWait(uint64_t token, Event event, Duration deadline) DL_EXCLUDES(mutex_);

  EventQueue& events_;
  const int64_t most_;
  std::atomic<uint64_t> next_token_{1};
  Mutex mutex_;
  CondVar closing_;
  // Shared with the waiting caller.
  std::map<uint64_t, std::shared_ptr<Waiter>> waiters_ DL_GUARDED_BY(mutex_);
  bool closed_ DL_GUARDED_BY(mutex_) = false;
  int64_t wake_ups_ DL_GUARDED_BY(mutex_) = 0;
};

template <typename ReplyType, typename Request>
StatusOr<ReplyType> PendingRequests::SendRequest(Request request, Duration deadline) {
  const uint64_t token = next_token_++;
  DL_ASSIGN_OR_RETURN(Reply reply,
                      SendAndWait(token, Asked<Request>{token, std::move(request)}, deadline));
  if constexpr (std::is_same_v<ReplyType, std::monostate>) {
    return std::monostate{};
  } else {
    ReplyType* typed = std::get_if<ReplyType>(&reply);
    if (typed == nullptr)
      return Internal({.message = "the core returned a reply of an unexpected type"});
    return std::move(*typed);
  }
}

}  // namespace dl::master
