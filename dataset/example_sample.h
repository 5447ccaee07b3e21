// Compares two datasets by samples of their examples, to notice a test set whose examples are in
// the training set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace dl::dataset {

// A sample of the examples of a dataset, by hashes of their features. It does not depend on the
// order of the examples.
struct ExampleSample {
  int64_t examples = 0;  // of the dataset
  uint64_t sum = 0;      // wrapping sum of the hashes of all examples
  // The share of the sampled examples that occur more than once in the dataset.
  double repeated = 0;
  // The smallest distinct hashes, ascending. If there are fewer than kMost, these are all.
  std::vector<uint64_t> hashes;

  static constexpr size_t kMost = 1 << 15;
  bool IsWhole() const { return hashes.size() < kMost; }
};

// Makes the sample of a dataset. Needs memory for 2 * ExampleSample::kMost hashes. Not thread-safe.
class ExampleSampler {
 public:
  // Adds examples: rows of `row_bytes` bytes each. REQUIRES: row_bytes > 0.
  void Add(std::span<const std::byte> rows, size_t row_bytes);
  // Returns the sample of all examples that were added.
  ExampleSample Sample() const;

 private:
  void Prune();

  int64_t examples_ = 0;
  uint64_t sum_ = 0;
  uint64_t largest_ = UINT64_MAX;                  // hashes above it are not sampled
  absl::flat_hash_map<uint64_t, int64_t> counts_;  // how often each sampled hash occurred
};

// Returns whether both datasets have the same examples, in any order.
bool HaveSameExamples(const ExampleSample& a, const ExampleSample& b);

// Estimates how many of the distinct examples of `test` are in `training`.
struct ExampleOverlap {
  int64_t compared = 0, found = 0;  // distinct examples of `test`
};
// Returns nullopt if few examples can be compared, or if a test set that is drawn like the training
// set would also have about as many.
std::optional<ExampleOverlap> FindOverlap(const ExampleSample& test, const ExampleSample& training);
// Does the same for a test set that was split from the file of the training set. Rows that the file
// repeats are then in both. Returns nullopt if few examples can be compared, or if less than a
// fifth of them are found. Also returns nullopt if most examples of the test set repeat within it,
// as those of tables with few categories do.
std::optional<ExampleOverlap> FindRepeats(const ExampleSample& test, const ExampleSample& training);

}  // namespace dl::dataset
