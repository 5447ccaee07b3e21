// Records which executors had the units of each committed round, and of each evaluation
// (docs/formats.md, "Timeline"). No result depends on it. Without CoreOptions::records_history,
// records no round. All functions do nothing if stored records are damaged (JobTimeline::failed).
#pragma once

#include <cstdint>
#include <string>

#include "master/core/machine/machine_component.h"
#include "storage/timeline/round_timeline.h"

namespace dl::master {

class TimelineRecording : public Component {
 public:
  using Component::Component;

  // Persists the leases of the open units. Must be called when their round, which is `round`, is
  // committed.
  void RecordTraining(Job& job, int64_t round);
  // Persists the leases of the open units. Must be called when they have evaluated the state after
  // `round`. Does nothing unless `round` is the last recorded one.
  void RecordEvaluation(Job& job, int64_t round);
  // Removes the stored records of rounds after `round`, which no longer count.
  void ForgetRoundsAfter(Job& job, int64_t round);

 private:
  storage::RoundTimeline TimelineOf(Job& job);
  int32_t NumberOf(Job& job, const std::string& executor);
  int64_t OpenedUnixMicros(Job& job) const;
};

}  // namespace dl::master
