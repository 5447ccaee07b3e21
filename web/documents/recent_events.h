// Events of a job for pages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/status.h"
#include "rpc/service.h"

namespace dl::web {

struct EventsWanted {
  std::string job;
  int64_t before = 0;  // only events with a smaller number; 0: the newest ones
  size_t max_count = 200;
  int64_t expected = 0;  // about how many events the job has; a good guess saves reading
};

// Returns at most the last `max_count` events of the job, ascending. The result of the job, which
// has no number, is left out. The master returns events only forwards, so this function starts
// before the expected end and, if that finds too few, starts again earlier. Errors are those of
// rpc::ClientService::Events.
StatusOr<std::vector<Json>> ReadLastEvents(rpc::ClientService& master, const EventsWanted& wanted);

// Returns about how many events a job has, from its document.
int64_t ExpectedEvents(const Json& job);

// Returns at most the newest `count` events that are neither rounds, epochs nor checkpoints, newest
// first. If there are none, returns epochs and checkpoints.
Json NotableEvents(const std::vector<Json>& events, size_t count);

// Returns [{"epoch","round","train","test","is_best"}] of the epochs that count, newest first.
// "is_best" is absent unless the round is `best_round`, the round of the best evaluation (0: none).
// "train" and "test" are absent if the event lacks them.
Json EpochsOf(const std::vector<Json>& events, int64_t best_round);

// Returns the marks of charts as a text, "restart:12 lost:30": after round 12 the job was restored
// (state RECOVERING), and after round 30 an executor was lost. Events before the first round in
// `events` have no mark. `events` is ascending, as for all functions here.
std::string MarksOf(const std::vector<Json>& events);

}  // namespace dl::web
