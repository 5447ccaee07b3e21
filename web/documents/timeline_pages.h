// Reads the recorded timeline of a job, as consecutive answers to queries of the kind kTimeline
// (docs/formats.md, "Timeline").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/status.h"
#include "rpc/service.h"

namespace dl::web {

struct TimelinePagesWanted {
  std::string job;
  int64_t last = 0;       // last round to read; 0, or a later one: the last recorded round
  int64_t workers = 1;    // of the job; its rounds have at least as many leases
  int64_t leases = 2000;  // decides the number of rounds; at least one round is read
};

struct TimelinePages {
  std::vector<Json> answers;       // in the order of their rounds
  int64_t first = 1, last = 0;     // the rounds that were read; none if last < first
  int64_t oldest = 1, newest = 0;  // the recorded rounds; none if newest < oldest
};

// Reads at most 500 rounds. Errors are those of rpc::ClientService::Query, and of ParseJson for its
// answer.
StatusOr<TimelinePages> ReadTimelinePages(rpc::ClientService& master,
                                          const TimelinePagesWanted& wanted);

}  // namespace dl::web
