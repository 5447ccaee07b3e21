// The leases of a round's units: which executor had which unit, when, and for what it used the time
// (docs/formats.md, "Timeline").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace dl::storage {

// How a lease of a unit ended. Stored: a number is never reused.
enum class LeaseEnd : uint8_t {
  kCommitted = 1,     // its result is the one in the commit
  kConfirmed = 2,     // its result equals the committed one
  kContradicted = 3,  // its result differs from the committed one
  kFailed = 4,        // the executor reported an error, or its announcement was not valid
  kLost = 5,          // the executor left or was lost, or its result did not arrive
  kExpired = 6,       // no heartbeat renewed it, and no result came later
  kOvertaken = 7,     // the result of another executor was accepted first
  kDistrusted = 8,    // the executor was quarantined
};
// Returns the word of the end in JSON, for example "committed".
std::string_view LeaseEndName(LeaseEnd end);

// A lease of a unit. Times are microseconds. Points in time count from the opening of the round.
struct LeaseSpan {
  int32_t unit = 0;      // the worker, or the index of the evaluation unit
  int32_t executor = 0;  // number of the executor, from 1; 0: too many executors were recorded
  LeaseEnd end = LeaseEnd::kCommitted;
  int64_t leased_us = 0;
  int64_t began_us = 0;  // start of its work in a slot
  int64_t ended_us = 0;  // the announcement, or the end of the lease
  int64_t computing_us = 0, data_wait_us = 0, state_wait_us = 0;  // between began_us and ended_us
  int64_t sending_us = 0;  // from the request for the result to the arrival of its bytes

  bool operator==(const LeaseSpan&) const = default;
};

// The leases of a round's training, or of the evaluation after it.
struct RoundTimeline {
  int64_t opened_unix_us = 0;
  int64_t length_us = 0;          // from the opening to the commit, or to the evaluation's record
  std::vector<LeaseSpan> leases;  // ascending by unit

  bool operator==(const RoundTimeline&) const = default;
};

// Returns about 11 bytes for each lease. `opened_unix_us` is kept exactly. Other times become
// multiples of the smallest power of two that is above 1/16384 of the longest of them. Each is
// rounded down, and less than three such multiples below its exact value.
std::string EncodeTimeline(const RoundTimeline& round);
// Returns DataLoss if `bytes` does not have the form that EncodeTimeline writes.
StatusOr<RoundTimeline> DecodeTimeline(std::string_view bytes);

}  // namespace dl::storage
