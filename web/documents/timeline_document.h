// The timeline of a job as its page shows it: the leases of some rounds by slot.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/status.h"
#include "rpc/service.h"

namespace dl::web {

// Most leases that the page lists one by one, the newest ones.
inline constexpr size_t kListedLeases = 100;

struct TimelineWanted {
  std::string job;
  int64_t last = 0;     // last round to show; 0, or a later one: the last recorded round
  int64_t workers = 1;  // of the job; with more workers, the answer has fewer rounds
};

// Reads some consecutive rounds and returns their TimelineDocument. It also has "from" and "to",
// the first and last of these rounds, and
//
// - "earlier": the round before "from", if it is recorded
// - "is_newest": whether "to" is the last recorded round
//
// Returns an empty object if no round is recorded up to `last`. Errors are those of
// rpc::ClientService::Query, and of ParseJson for its answer.
StatusOr<Json> ReadTimeline(rpc::ClientService& master, const TimelineWanted& wanted);

// Returns the document of consecutive answers to queries of the kind kTimeline (docs/formats.md):
//
// - "origin_unix_ms": when the first round was opened
// - "rounds": a text "ROUND,OPENED,LENGTH …" with times in ms since the origin. The number of a
//   round has the suffix "e" for its evaluation
// - "slots": [{"name","leases","computing","data_wait","state_wait","other","unused","is_lost",
//   "bars"}], slots of executors by name (AssignSlots). Here "leases" is the number of leases.
//   "computing", "data_wait", "state_wait" and "other" are fractions of the time from the first
//   begin to the last end of all leases of the document. "unused" is the number of leases whose
//   result was not used. "is_lost": the executor was lost in the last lease. "bars" is a text with
//   the leases of the slot, "ROUND,UNIT,END,LEASED,BEGIN,LENGTH,STATES,DATA,COMPUTING,SENDING …".
//   END is the word for how the lease ended. LEASED is when the lease was given, and BEGIN when its
//   unit started in a slot, as times since the origin. The others are durations. All are in ms
// - "leases": [{"round","is_evaluation","unit","slot","start_unix_ms","length_ms","computing_ms",
//   "data_wait_ms","state_wait_ms","sending_ms","end","is_used"}], the newest kListedLeases
Json TimelineDocument(const std::vector<Json>& answers);

}  // namespace dl::web
