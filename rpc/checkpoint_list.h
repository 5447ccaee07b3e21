// Finds checkpoints by the names that users write, in the list of a job's checkpoints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json_fwd.h"

namespace dl::rpc {

// The ROUND in JOB@ROUND, as users write it: a number, "last", "best" (the best result on the test
// set so far), or "NUMBER~ROLLBACK" for a checkpoint that rollback ROLLBACK set aside.
struct RoundName {
  enum class Which { kNumber, kLast, kBest };
  Which which = Which::kLast;
  int64_t number = 0;
  int64_t set_aside = 0;  // kNumber: number of the rollback that set it aside; 0: none
};
// Returns nullopt for other text, and for a negative number.
std::optional<RoundName> ParseRound(const std::string& text);

// Returns the entry of the checkpoint in `list`, the answer to the query "checkpoints", or nullptr
// if the list lacks it. A checkpoint that was set aside is never the last or the best one, and one
// without a result on a test set is never the best one. The result refers to `list`.
const Json* FindCheckpoint(const Json& list, const RoundName& round);

}  // namespace dl::rpc
