// A cache of recent answers of the core, for clients that poll. A client that accepts an answer of
// some age gets it at once, whatever the core and the disk are doing. A polled answer is refreshed
// in the background, for all clients together and at most a few times a second.
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

  // Returns an answer that is at most request.max_age_ms old, with its age. Asks and waits if there
  // is none. Errors are current errors of `ask`.
  StatusOr<rpc::QueryReply> Get(const rpc::QueryRequest& request, Duration deadline)
      DL_EXCLUDES(mutex_);
  // Stops refreshing, after the refresh in progress has ended. Idempotent.
  void Stop() DL_EXCLUDES(mutex_);

 private:
  using Question = std::tuple<std::string, std::string, int64_t>;  // what, job, first
  struct Answer {
    std::shared_ptr<const rpc::QueryReply> reply;
    Instant asked;       // the answer is as of this time, or later
    Instant wanted;      // last request for it
    bool stale = false;  // needs a refresh, which may be in progress
  };

  StatusOr<rpc::QueryReply> AskNow(const rpc::QueryRequest& request, Duration deadline)
      DL_EXCLUDES(mutex_);
  void Run() DL_EXCLUDES(mutex_);
  // Returns the question with the oldest stale answer; null if there is none.
  const Question* NextStale() const DL_REQUIRES(mutex_);
  // Drops answers that are no longer polled, and those beyond the limits.
  void LetGo(Instant now) DL_REQUIRES(mutex_);

  const Ask ask_;
  const Clock& clock_;
  Mutex mutex_;
  CondVar work_;
  std::map<Question, Answer> answers_ DL_GUARDED_BY(mutex_);
  bool stop_ DL_GUARDED_BY(mutex_) = false;
  Thread thread_;
};

}  // namespace dl::master
