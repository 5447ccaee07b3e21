// Which examples of a source are its test set, where one file is both (job/split_config.h). It is a
// function of seed, fraction, number of examples and, where it is stratified, their classes:
// example i draws the i-th number of 64 bits of a counter-based stream, and those with the smallest
// numbers are the test set, ties going to the earlier ones.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "dataset/example_table.h"
#include "job/split_config.h"

namespace dl::dataset {

// kNeither: an example that shares steps with an example of the test set.
enum class Part : uint8_t { kTraining = 1, kTest = 2, kNeither = 3 };

// The examples of a source that are read; in their order, counted from 0.
struct SplitPart {
  job::SplitConfig split;
  Part part = Part::kTraining;
};

// The examples that a split divides.
struct SplitExamples {
  int64_t examples = 0;
  std::span<const int32_t> classes = {};  // of the examples; read only by a stratified split
  // How many examples before an example share steps with it: windows that overlap. Read only where
  // the last examples are taken.
  int64_t overlap = 0;
};

// The part of each example. The test set has round(fraction * n) of n examples, at least one and
// not all; a stratified split takes that of each class, and never all of a class. The last examples
// of the source are the test set where the split says so. Errors: nothing is left for one part;
// not one class for each example where it is stratified.
StatusOr<std::vector<Part>> PartsOf(const job::SplitConfig& split, const SplitExamples& of);

// The part of a table that was read whole.
struct SelectOptions {
  SplitPart part;
  int64_t overlap = 0;  // as SplitExamples::overlap
  RowMemory memory;     // for the part
};
StatusOr<ExampleTable> SelectPart(const ExampleTable& table, const SelectOptions& options);

}  // namespace dl::dataset
