#include "executor/core/computing.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"

namespace dl::executor {
namespace {

// Pauses between attempts to fetch what a unit needs. Each attempt may move a whole state. After
// kHandBackAfter the lease is handed back, so that another executor may compute the unit.
constexpr Duration kFirstPause = std::chrono::milliseconds(100);
constexpr Duration kLongestPause = std::chrono::seconds(5);
constexpr Duration kHandBackAfter = std::chrono::seconds(30);
// Pauses between warnings about failed fetches, counted over all units.
constexpr Duration kFirstWarnPause = std::chrono::seconds(5);
constexpr Duration kLongestWarnPause = std::chrono::seconds(60);

Duration PauseAfter(int32_t failures) {
  Duration pause = kFirstPause;
  for (int32_t i = 1; i < failures && pause < kLongestPause; ++i) pause *= 2;
  return std::min(pause, kLongestPause);
}

}  // namespace

// Never queues a unit after another unit of a slot, because that unit may hang.
void Computing::Begin(Work& work) {
  const std::optional<size_t> slot = slots_.FindFree(work.lease.unit);
  if (!slot) return;
  work.stage = Stage::kRunning;
  work.computed_under = work.lease.lease;  // a new computation under the newest lease
  slots_.Begin(*slot, work.lease);
  step_.Do(RunUnit{work.lease, static_cast<int32_t>(*slot)});
}

void Computing::On(const UnitFinished& event) {
  slots_.RecordThreadFree(event.lease);
  Work* const work = units_.Find(event.unit, event.lease, Stage::kRunning);
  if (work == nullptr) return step_.Do(DropResult{event.lease, event.unit});
  work->outcome = event.outcome;
  work->stage = Stage::kAnnouncing;
  work->call.failures = 0;
  work->call.due = step_.now;
}

void Computing::On(const UnitFailed& event) {
  slots_.RecordThreadFree(event.lease);
  Work* const work = units_.Find(event.unit, event.lease, Stage::kRunning);
  if (work == nullptr) return;
  if (IsTriedAgain(event.fault)) {
    ScheduleRetry(*work, event);
  } else {
    work->Report(event, step_.now);
  }
}

void Computing::ScheduleRetry(Work& work, const UnitFailed& event) {
  if (work.call.failures == 0) work.failing_since = step_.now;
  ReportFetching(event);
  if (leaving_.when_delivered || step_.now - work.failing_since >= kHandBackAfter)
    return work.Report(event, step_.now);
  CountRetry(CountOf(event.fetched));
  work.stage = Stage::kWaiting;
  work.call.due = step_.now + PauseAfter(++work.call.failures);
}

int64_t& Computing::CountOf(FetchTarget fetched) {
  switch (fetched) {
    case FetchTarget::kJob:
      return retries_.jobs;
    case FetchTarget::kBlock:
      return retries_.blocks;
    case FetchTarget::kState:
      break;
  }
  return retries_.states;
}

namespace {

std::string NameOf(FetchTarget fetched, const std::string& unit) {
  switch (fetched) {
    case FetchTarget::kJob:
      return absl::StrCat("the job of unit ", unit);
    case FetchTarget::kBlock:
      return absl::StrCat("a block that unit ", unit, " reads");
    case FetchTarget::kState:
      break;
  }
  return absl::StrCat("the state that unit ", unit, " starts from");
}

}  // namespace

// Warns from the second failure on: a single failure may mean a restarting master, or a job that
// has advanced.
void Computing::ReportFetching(const UnitFailed& event) {
  if (fetch_failures_ == 0 || step_.now - fetch_failed_at_ >= kLongestWarnPause) {
    fetch_failures_ = 0;
    fetch_warn_at_ = step_.now;
    fetch_warn_pause_ = kFirstWarnPause;
  }
  fetch_failed_at_ = step_.now;
  if (++fetch_failures_ < 2 || step_.now < fetch_warn_at_) return;
  step_.Do(Warn{absl::StrCat("cannot fetch ", NameOf(event.fetched, ToString(event.unit)), " (",
                             fetch_failures_,
                             " failures so far), will try again: ", DescribeError(event.status))});
  fetch_warn_at_ = step_.now + fetch_warn_pause_;
  fetch_warn_pause_ = std::min(2 * fetch_warn_pause_, kLongestWarnPause);
}

}  // namespace dl::executor
