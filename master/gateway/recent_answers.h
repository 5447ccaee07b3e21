// A cache of recent answers of the core, for clients that poll. A client gets a cached answer at
// once if it accepts the answer's age, even if the core or the disk is slow. If the cached answer
// is older than 250 ms, a request also starts a refresh on a background thread. All clients share
// these refreshes. A question is refreshed at most four times per second. Answers that were not
// requested for 60 s are dropped. If there are more than 1,000 answers or 32 MiB, the least
// recently requested answers are dropped.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/thread.h"
#include "rpc/messages.h"

namespace dl::master {

// Thread-safe.
class RecentAnswers {
 public:
  // Returns the current answer to a question. Must be thread-safe.
  using Ask = std::function<StatusOr<rpc::QueryReply>(const rpc::QueryRequest&, Duration deadline)>;
  explicit RecentAnswers(Ask ask, const Clock& clock = Clock::Real());
  ~RecentAnswers() { Stop(); }

  // Returns the cached answer to the same question (what, job, first, last) with its age, if it is
  // at most request.max_age_ms old. Otherwise calls `ask` with `deadline` and returns its answer or
  // its error. Errors of background refreshes are not returned. An error of `ask` other than
  // Unavailable and DeadlineExceeded drops the cached answer, because the question is no longer
  // valid.
  StatusOr<rpc::QueryReply> Get(const rpc::QueryRequest& request, Duration deadline)
      DL_EXCLUDES(mutex_);
  // Stops the background refreshes, and waits for the refresh in progress. Get() still works
  // afterwards. Idempotent.
  void Stop() DL_EXCLUDES(mutex_);

 private:
  using Question =
      std::tuple<rpc::QueryKind, std::string, int64_t, int64_t>;  // what, job, first, last
  struct Answer {
    std::shared_ptr<const rpc::QueryReply> reply;
    Instant asked;         // when `ask` was called; the age of the answer counts from then
    Instant last_request;  // last request for this answer
    bool stale = false;    // needs a refresh, which may be in progress
  };

  StatusOr<rpc::QueryReply> Refresh(const rpc::QueryRequest& request, Duration deadline)
      DL_EXCLUDES(mutex_);
  void Run() DL_EXCLUDES(mutex_);
  // Returns the question with the oldest stale answer; null if there is none.
  const Question* NextStale() const DL_REQUIRES(mutex_);
  // Drops answers that are no longer polled, and those beyond the limits.
  void DropUnpolled(Instant now) DL_REQUIRES(mutex_);

  const Ask ask_;
  const Clock& clock_;
  Mutex mutex_;
  CondVar work_;
  std::map<Question, Answer> answers_ DL_GUARDED_BY(mutex_);
  bool stop_ DL_GUARDED_BY(mutex_) = false;
  Thread thread_;
};

}  // namespace dl::master
