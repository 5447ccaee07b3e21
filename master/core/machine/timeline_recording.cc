#include "master/core/machine/timeline_recording.h"

#include <algorithm>

namespace dl::master {
namespace {

using storage::LeaseEnd;
using storage::LeaseSpan;

int64_t Micros(Duration time) { return time / std::chrono::microseconds(1); }

// Returns how the lease ended, now that the unit's result is known.
LeaseEnd FinalEnd(const Unit& unit, const UnitRun& run) {
  if (unit.accepted && run.lease == unit.result.lease) return LeaseEnd::kCommitted;
  if (run.end != LeaseEnd::kConfirmed || run.digest == unit.result.digest) return run.end;
  return LeaseEnd::kContradicted;
}

}  // namespace

void TimelineRecording::RecordTraining(Job& job, int64_t round) {
  if (job.timeline.failed || !incarnation_.options.records_history) return;
  AppendTraining(step_.batch(), job.definition.id, job.timeline.rounds, round, TimelineOf(job));
}

void TimelineRecording::RecordEvaluation(Job& job, int64_t round) {
  if (job.timeline.failed || round != job.timeline.rounds.last || round == 0) return;
  step_.batch().Put(storage::timeline_keys::Evaluation(job.definition.id, round),
                    storage::EncodeTimeline(TimelineOf(job)));
}

void TimelineRecording::ForgetRoundsAfter(Job& job, int64_t round) {
  if (job.timeline.failed) return;
  ForgetTimelineAfter(step_.batch(), job.definition.id, job.timeline.rounds, round);
}

storage::RoundTimeline TimelineRecording::TimelineOf(Job& job) {
  const Instant opened = job.series.opened;
  storage::RoundTimeline round{.opened_unix_us = OpenedUnixMicros(job),
                               .length_us = Micros(step_.now - opened)};
  for (const auto& [index, unit] : job.units) {
    for (const UnitRun& run : unit.runs) {
      const int64_t ended = Micros(run.ended - opened);
      round.leases.push_back({.unit = index,
                              .executor = NumberOf(job, run.executor),
                              .end = FinalEnd(unit, run),
                              .leased_us = Micros(run.leased - opened),
                              .began_us = ended - Micros(run.times.in_slot),
                              .ended_us = ended,
                              .computing_us = Micros(run.times.computing),
                              .data_wait_us = Micros(run.times.data_wait),
                              .state_wait_us = Micros(run.times.state_wait),
                              .sending_us = Micros(run.sending)});
    }
  }
  return round;
}

int32_t TimelineRecording::NumberOf(Job& job, const std::string& executor) {
  std::map<std::string, int32_t>& numbers = job.timeline.executors;
  if (const auto found = numbers.find(executor); found != numbers.end()) return found->second;
  const auto next = static_cast<int32_t>(numbers.size()) + 1;
  if (next > storage::kMaxTimelineExecutors) return 0;
  numbers.emplace(executor, next);
  step_.batch().Put(storage::timeline_keys::Executor(job.definition.id, next), executor);
  return next;
}

// Returns the time when the open units were opened, by the wall clock at the anchor. Sets a new
// anchor if the clocks have drifted apart.
int64_t TimelineRecording::OpenedUnixMicros(Job& job) const {
  constexpr int64_t kMostDrift = 1'000'000;
  JobTimeline& timeline = job.timeline;
  const int64_t wall = step_.wall_unix_ms * 1000;
  const int64_t expected = timeline.anchor_unix_us + Micros(step_.now - timeline.anchor);
  if (timeline.anchor_unix_us == 0 || std::abs(expected - wall) > kMostDrift) {
    timeline.anchor = step_.now;
    timeline.anchor_unix_us = wall;
  }
  return timeline.anchor_unix_us + Micros(job.series.opened - timeline.anchor);
}

}  // namespace dl::master
