// Configuration of a test set that is taken out of the training set's files. dataset/split.h
// applies it.
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

// kRandom: examples drawn at random. kLast: the last examples of the source.
enum class SplitTake : uint8_t { kRandom, kLast };

struct SplitConfig {
  static constexpr double kLeast = 1e-6, kMost = 0.999999;

  double test_fraction = 0.2;  // share of the examples, kLeast to kMost
  // Independent of the job's seed, so that other initial weights are measured on the same examples.
  uint64_t seed = 0;
  bool stratified = false;  // whether each class is split in this proportion; kRandom only
  SplitTake take = SplitTake::kRandom;
  bool operator==(const SplitConfig&) const = default;
};

Json ToJson(const std::optional<SplitConfig>& split);  // null if there is no split
// Reads the key "split" of `parent`. null and an absent key mean no split.
void ReadSplit(JsonObjectReader& parent, std::optional<SplitConfig>& out);
void CheckSplit(const SplitConfig& split, nn::Mistakes& mistakes);

}  // namespace dl::job
