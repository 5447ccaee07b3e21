// Configuration of a test set that is taken out of the training set's files. dataset/split.h
// applies it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "job/job_words.h"
#include "nn/conf/field.h"
#include "nn/conf/key_row.h"
#include "nn/conf/mistakes.h"

namespace dl::job {

// Selects the examples of the test set. kRandom: examples drawn at random. kLast: the last examples
// of the source, or the last windows of each sequence if examples are windows of a table. With
// kLast, examples that share steps with the test set belong to neither set.
enum class SplitTake : uint8_t { kRandom, kLast };
template <>
struct WordsOf<SplitTake> {
  static constexpr std::string_view kWords[] = {"random", "last"};
};

struct SplitConfig {
  static constexpr double kLeast = 1e-6, kMost = 0.999999;

  double test_fraction = 0.2;  // the test set's share of the examples, kLeast to kMost
  // Independent of the job's seed, so that other initial weights are measured on the same examples.
  uint64_t seed = 0;
  bool stratified = false;  // whether each class is split in this proportion; kRandom only
  SplitTake take = SplitTake::kRandom;
  bool operator==(const SplitConfig&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit);  // nn/conf/field.h
};

// Checks ranges and combinations of values. Adds mistakes under "data.split".
void CheckSplit(const SplitConfig& split, nn::Mistakes& mistakes);

// Operations on a member (nn/conf/field.h).
void ReadValue(JsonObjectReader& parent, std::string_view key, SplitConfig& out);
Json ToJson(const SplitConfig& split);
void CheckValue(const nn::Field& field, const SplitConfig& split, nn::Mistakes& mistakes);
void DescribeValue(const nn::Field& field, const SplitConfig& split, std::vector<nn::KeyRow>& rows);

}  // namespace dl::job
