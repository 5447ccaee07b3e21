// Compares the slots that a job can use with its workers. Users choose both numbers independently.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace dl::cli {

struct SlotUse {
  int64_t workers = 0;  // units per round
  int64_t slots = 0;    // number of units that may be computed at once; 0: unknown
  // Whether more slots would be used. They would not if the job itself limits them.
  enum class MoreSlots { kWouldHelp, kWouldNot } more_slots = MoreSlots::kWouldHelp;
};

// Returns a sentence for a warning. Returns nullopt if the numbers are equal or the slots unknown,
// or if slots are lacking and more would not help.
std::optional<std::string> SlotAdvice(const SlotUse& use);

}  // namespace dl::cli
