// Names of checkpoints.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

namespace dl::master {

// The name "JOB@ROUND", or "JOB@ROUND~ROLLBACK" for a checkpoint that was set aside by this
// rollback. Names are ordered by job, then by round.
struct CheckpointName {
  std::string job;
  int64_t round = 0;
  int64_t set_aside = 0;  // number of the rollback; 0: the checkpoint counts

  auto operator<=>(const CheckpointName&) const = default;
};
std::string ToString(const CheckpointName& name);
// Returns nullopt if the text has another form.
std::optional<CheckpointName> ParseCheckpointName(const std::string& text);

}  // namespace dl::master
