// Names of things that travel through the whole system.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace dl {

// Stored numbers: never reuse a value.
enum class UnitKind : uint8_t { kTrain = 1, kEvaluate = 2 };

// A unit of work: a pure function of (job, kind, round, index) and the committed state it starts
// from. A training unit's index is its worker; its round is the one it contributes to (1, 2, ...).
// An evaluation unit's round is the committed round it measures; its index is its place in the test
// set.
struct UnitId {
  std::string job;
  UnitKind kind = UnitKind::kTrain;
  int64_t round = 0;
  int32_t index = 0;

  auto operator<=>(const UnitId&) const = default;
};

std::string ToString(const UnitId& unit);  // "lenet5-1/train/12/3", for people

}  // namespace dl
