// Ids of units of work.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace dl {

// The numbers are stored: never reuse a value.
enum class UnitKind : uint8_t { kTrain = 1, kEvaluate = 2 };

// Identifies a unit of work. Its result is a pure function of (job, kind, round, index) and the
// committed state that it starts from. A training unit has the index of its worker, and the round
// that it contributes to (1, 2, ...). An evaluation unit has the committed round that it measures,
// and the number of its range of the test set, from 0.
struct UnitId {
  std::string job;
  UnitKind kind = UnitKind::kTrain;
  int64_t round = 0;
  int32_t index = 0;

  auto operator<=>(const UnitId&) const = default;
};

std::string ToString(const UnitId& unit);  // "lenet5-1/train/12/3", for display

}  // namespace dl
