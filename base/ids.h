// Names that are used in the whole system.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace dl {

// The numbers are stored: never reuse a value.
enum class UnitKind : uint8_t { kTrain = 1, kEvaluate = 2 };

// Names a unit of work, which is a pure function of (job, kind, round, index) and the committed
// state that it starts from. The index of a training unit is its worker, and its round is the round
// that it contributes to (1, 2, ...). The round of an evaluation unit is the committed round that
// it measures, and its index is its position in the test set.
struct UnitId {
  std::string job;
  UnitKind kind = UnitKind::kTrain;
  int64_t round = 0;
  int32_t index = 0;

  auto operator<=>(const UnitId&) const = default;
};

std::string ToString(const UnitId& unit);  // "lenet5-1/train/12/3", for display

}  // namespace dl
