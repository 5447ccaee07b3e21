// A snapshot beside the core, for pages that poll: what was answered lately. Whoever is content
// with an answer of some age gets it from here at once, whatever the core and the disk are doing;
// what is polled is asked anew behind it, once for all who poll and a few times a second at most.
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
  // A question as it is at the moment; thread-safe.
  using Ask = std::function<StatusOr<rpc::QueryReply>(const rpc::QueryRequest&, Duration deadline)>;
  explicit RecentAnswers(Ask ask, const Clock& clock = Clock::Real());
  ~RecentAnswers() { Stop(); }

  // An answer that is at most request.max_age_ms old, and says how old it is; asks, and waits, only
  // where there is none. Errors are of now, and `ask`'s.
  StatusOr<rpc::QueryReply> Get(const rpc::QueryRequest& request, Duration deadline)
      DL_EXCLUDES(mutex_);
  // Nothing is asked anew any more; returns when what is being asked was answered. Idempotent.
  void Stop() DL_EXCLUDES(mutex_);

 private:
  using Question = std::tuple<std::string, std::string, int64_t>;  // what, job, first
  struct Answer {
    std::shared_ptr<const rpc::QueryReply> reply;
    Instant asked;       // the answer is as of then, or later
    Instant wanted;      // by somebody, last
    bool stale = false;  // it is to be asked anew, or being so
  };

  StatusOr<rpc::QueryReply> AskNow(const rpc::QueryRequest& request, Duration deadline)
      DL_EXCLUDES(mutex_);
  void Run() DL_EXCLUDES(mutex_);
  // The one that waits longest to be asked anew; none: null.
  const Question* NextStale() const DL_REQUIRES(mutex_);
  // What nobody polls any more, and what is too much.
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
