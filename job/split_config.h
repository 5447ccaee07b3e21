// A test set that is a part of the training set's files. dataset/split.h says which one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json_fwd.h"
#include "nn/conf/mistakes.h"

namespace dl {
class JsonObjectReader;  // base/json.h
}

namespace dl::job {

// The test set is drawn at random, or has the last examples of the source.
enum class SplitTake : uint8_t { kRandom, kLast };

struct SplitConfig {
  static constexpr double kLeast = 1e-6, kMost = 0.999999;

  double test_fraction = 0.2;  // of the examples
  uint64_t seed = 0;           // not the job's: other weights are measured on the same examples
  bool stratified = false;     // the fraction of each class
  SplitTake take = SplitTake::kRandom;
  bool operator==(const SplitConfig&) const = default;
};

Json ToJson(const std::optional<SplitConfig>& split);  // null without one
// The key "split" of `parent`; null and absent are none.
void ReadSplit(JsonObjectReader& parent, std::optional<SplitConfig>& out);
void CheckSplit(const SplitConfig& split, nn::Mistakes& mistakes);

}  // namespace dl::job
