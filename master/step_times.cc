#include "master/step_times.h"

#include <array>
#include <chrono>

#include "base/limits.h"

namespace dl::master {

std::string_view KindOf(const Event& event) {
  // In the order of the variant.
  static constexpr std::array<std::string_view, std::variant_size_v<Event::Variant>> kNames = {
      "Tick",
      "Register",
      "Heartbeat",
      "Goodbye",
      "LeaseUnits",
      "Announce",
      "ReportFailure",
      "Submit",
      "Act",
      "PruneCheckpoints",
      "QueryJob",
      "QueryResult",
      "QueryCheckpoints",
      "QueryCluster",
      "QueryJobs",
      "Drain",
      "ConnectionLost",
      "BytesArrived",
      "ContributionStaged",
      "ContributionRefused",
      "Gathered",
      "GatherRefused",
      "SumContradicted",
      "RoundMerged",
      "StatePrepared",
      "PartArrived",
      "CheckpointWritten",
      "CheckpointRead",
      "ReadEnded",
      "EndRecorded",
      "LogSurveyed",
      "CommitsRead",
      "SeriesFolded",
      "Shutdown"};
  return kNames[event.index()];
}

bool StepTimes::Record(const Event& event, Duration computed, Instant now) {
  MutexLock lock(mutex_);
  ++view_.steps;
  if (computed > view_.longest) {
    view_.longest = computed;
    view_.longest_event = KindOf(event);
  }
  if (computed <= limits::kLongStep) return false;
  ++view_.long_steps;
  if (now < next_log_at_) return false;
  next_log_at_ = now + limits::kLongStepLogInterval;
  return true;
}

StepTimesView StepTimes::View() {
  MutexLock lock(mutex_);
  return view_;
}

}  // namespace dl::master
