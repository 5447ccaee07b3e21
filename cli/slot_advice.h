// Whether the slots that a job has fit its workers: both are chosen by people, and apart.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace dl::cli {

struct SlotUse {
  int64_t workers = 0;  // units of a round
  int64_t slots = 0;    // how many of them may be computed at once; 0: nobody knows
  // Whether more slots would be used: not where the job itself limits them.
  enum class More { kWouldHelp, kWouldNot } more = More::kWouldHelp;
};

// A sentence for a warning; nullopt where they fit.
std::optional<std::string> SlotAdvice(const SlotUse& use);

}  // namespace dl::cli
