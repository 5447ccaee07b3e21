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
      "Query",
      "Jobs",
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
      "EndRecorded",
      "LogSurveyed",
      "CommitsRead",
      "Shutdown"};
  return kNames[event.index()];
}

bool StepTimes::Note(const Event& event, Duration computed, Instant now) {
  MutexLock lock(mutex_);
  ++steps_;
  if (computed > longest_) {
    longest_ = computed;
    longest_event_ = KindOf(event);
  }
  if (computed <= limits::kLongStep) return false;
  ++long_steps_;
  if (now < tell_from_) return false;
  tell_from_ = now + limits::kLongStepPause;
  return true;
}

Json StepTimes::ToJson() {
  MutexLock lock(mutex_);
  return {{"steps", steps_},
          {"long_steps", long_steps_},
          {"longest_ms", 1e3 * Seconds(longest_)},
          {"longest_event", longest_event_}};
}

}  // namespace dl::master
