// How a unit's computation ends: with a result, with a failure, or to be tried again.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "executor/core/core.h"

namespace dl::executor {
namespace {

// A unit that cannot be fetched is tried again with these pauses: each try may move a whole state.
// Then somebody else may have it.
constexpr Duration kFirstPause = std::chrono::milliseconds(100);
constexpr Duration kLongestPause = std::chrono::seconds(5);
constexpr Duration kHandBackAfter = std::chrono::seconds(30);
// Between two warnings of that, whatever unit it is about.
constexpr Duration kFirstWarnPause = std::chrono::seconds(5);
constexpr Duration kLongestWarnPause = std::chrono::seconds(60);

Duration PauseBehind(int32_t failures) {
  Duration pause = kFirstPause;
  for (int32_t i = 1; i < failures && pause < kLongestPause; ++i) pause *= 2;
  return std::min(pause, kLongestPause);
}

}  // namespace

void Core::On(const UnitFinished& event) {
  ThreadIsBack(event.lease);
  Work* const found = Find(event.unit, event.lease, Stage::kRunning);
  if (found == nullptr) {
    Emit(DropResult{event.lease, event.unit});
    return;
  }
  Work& work = *found;
  work.outcome = event.outcome;
  work.failures = 0;
  work.stage = Stage::kAnnouncing;
  work.retry_at = now_;
}

void Core::On(const UnitFailed& event) {
  ThreadIsBack(event.lease);
  Work* const work = Find(event.unit, event.lease, Stage::kRunning);
  if (work == nullptr) return;
  if (IsTriedAgain(event.fault)) {
    TryAgain(*work, event);
  } else {
    ReportFailure(*work, event);
  }
}

void Core::TryAgain(Work& work, const UnitFailed& event) {
  if (work.failures == 0) work.failing_since = now_;
  TellOfFetching(event);
  if (leaving_ || now_ - work.failing_since >= kHandBackAfter) return ReportFailure(work, event);
  work.stage = Stage::kWaiting;
  work.retry_at = now_ + PauseBehind(++work.failures);
}

// One failure may be a master that is started again, or a job that has gone on.
void Core::TellOfFetching(const UnitFailed& event) {
  if (fetch_failures_ == 0 || now_ - fetch_failed_at_ >= kLongestWarnPause) {
    fetch_failures_ = 0;
    fetch_warn_at_ = now_;
    fetch_warn_pause_ = kFirstWarnPause;
  }
  fetch_failed_at_ = now_;
  if (++fetch_failures_ < 2 || now_ < fetch_warn_at_) return;
  Emit(Warn{absl::StrCat("what unit ", ToString(event.unit), " starts from could not be fetched, ",
                         fetch_failures_,
                         " failures by now, trying on: ", DescribeError(event.status))});
  fetch_warn_at_ = now_ + fetch_warn_pause_;
  fetch_warn_pause_ = std::min(2 * fetch_warn_pause_, kLongestWarnPause);
}

// A lease that came, or waited, when nothing is begun any more: somebody else has it sooner than by
// letting it run out. It is nobody's failure.
void Core::HandBack(const UnitId& unit, Work& work) {
  ReportFailure(work, {.lease = work.computed_under,
                       .unit = unit,
                       .status = Cancelled({.message = "the executor takes no more work"}),
                       .fault = rpc::Fault::kNetwork});
}

void Core::ReportFailure(Work& work, const UnitFailed& event) {
  work.failures = 0;
  work.stage = Stage::kReporting;
  work.retry_at = now_;
  work.failure = {.lease = work.lease.lease,
                  .unit = event.unit,
                  .code = std::string(ErrorCodeName(event.status.code())),
                  .message = std::string(event.status.message()),
                  .where = ErrorWhere(event.status),
                  .remedy = ErrorRemedy(event.status),
                  .not_finite = event.not_finite,
                  .fault = event.fault};
}

}  // namespace dl::executor
