#include "dataset/example_sample.h"

#include <algorithm>

#include "base/checksum.h"

namespace dl::dataset {

void ExampleSampler::Add(std::span<const std::byte> rows, size_t row_bytes) {
  for (size_t at = 0; at + row_bytes <= rows.size(); at += row_bytes) {
    const uint64_t hash = Xxh3(rows.subspan(at, row_bytes));
    ++examples_;
    sum_ += hash;
    if (hash > largest_) continue;
    ++counts_[hash];
    if (counts_.size() > 2 * ExampleSample::kMost) Prune();
  }
}

// Keeps the smallest hashes. Each of them was counted from its first occurrence on, because
// largest_ only becomes smaller.
void ExampleSampler::Prune() {
  std::vector<uint64_t> hashes;
  for (const auto& [hash, count] : counts_) hashes.push_back(hash);
  std::ranges::nth_element(hashes, hashes.begin() + ExampleSample::kMost - 1);
  largest_ = hashes[ExampleSample::kMost - 1];
  absl::erase_if(counts_, [&](const auto& entry) { return entry.first > largest_; });
}

ExampleSample ExampleSampler::Sample() const {
  ExampleSample sample{.examples = examples_, .sum = sum_};
  for (const auto& [hash, count] : counts_) sample.hashes.push_back(hash);
  std::ranges::sort(sample.hashes);
  if (sample.hashes.size() > ExampleSample::kMost) sample.hashes.resize(ExampleSample::kMost);
  int64_t all = 0, repeated = 0;
  for (const uint64_t hash : sample.hashes) {
    const int64_t count = counts_.at(hash);
    all += count;
    repeated += count > 1 ? count : 0;
  }
  sample.repeated = all == 0 ? 0 : static_cast<double>(repeated) / static_cast<double>(all);
  return sample;
}

bool HaveSameExamples(const ExampleSample& a, const ExampleSample& b) {
  return a.examples > 0 && a.examples == b.examples && a.sum == b.sum && a.hashes == b.hashes;
}

namespace {

// Returns nullopt if few examples can be compared.
std::optional<ExampleOverlap> Compare(const ExampleSample& test, const ExampleSample& training) {
  constexpr int64_t kFew = 30;
  uint64_t largest = UINT64_MAX;  // up to it, both samples have all hashes
  for (const ExampleSample* sample : {&test, &training}) {
    if (!sample->IsWhole()) largest = std::min(largest, sample->hashes.back());
  }
  ExampleOverlap overlap;
  for (const uint64_t hash : test.hashes) {
    if (hash > largest) break;
    ++overlap.compared;
    overlap.found += std::ranges::binary_search(training.hashes, hash) ? 1 : 0;
  }
  return overlap.compared < kFew ? std::nullopt : std::optional(overlap);
}

double ShareFound(const ExampleOverlap& overlap) {
  return static_cast<double>(overlap.found) / static_cast<double>(overlap.compared);
}

}  // namespace

std::optional<ExampleOverlap> FindOverlap(const ExampleSample& test,
                                          const ExampleSample& training) {
  constexpr double kExcess = 0.3;
  const auto overlap = Compare(test, training);
  // Examples that repeat in the training set also occur in other sets by chance.
  return overlap && ShareFound(*overlap) - training.repeated >= kExcess ? overlap : std::nullopt;
}

std::optional<ExampleOverlap> FindRepeats(const ExampleSample& test,
                                          const ExampleSample& training) {
  constexpr double kLeast = 0.2, kMostRepeated = 0.6;
  const auto overlap = Compare(test, training);
  const bool repeats = overlap && ShareFound(*overlap) >= kLeast;
  return repeats && test.repeated < kMostRepeated ? overlap : std::nullopt;
}

}  // namespace dl::dataset
