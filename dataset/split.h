// Splits one source into training set and test set (job/split_config.h).
//
// SplitTake::kRandom: the split is a function of the seed, the fraction, the number of examples
// and, if it is stratified, their classes. Example i draws the i-th 64-bit number of a
// counter-based stream. The examples with the smallest numbers (of each class, if stratified) are
// the test set; of equal numbers, the earlier example comes first. SplitTake::kLast draws no
// numbers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "dataset/example_table.h"
#include "job/split_config.h"

namespace dl::dataset {

// kNeither: the example shares steps with an example of the test set.
enum class Part : uint8_t { kTraining = 1, kTest = 2, kNeither = 3 };

// The part of a source to read. Its examples keep their order and are numbered again from 0.
struct SplitPart {
  job::SplitConfig split;
  Part part = Part::kTraining;
};

// Properties of the examples that a split needs.
struct SplitExamples {
  int64_t examples = 0;
  // Class of each example; used only by a stratified split. kNoLabel counts as a class of its own.
  std::span<const int32_t> classes = {};
  // Number of examples directly before an example that share steps with it, if windows overlap.
  // Used only with SplitTake::kLast: so many examples before the test set are Part::kNeither.
  int64_t overlap = 0;
};

// Returns the part of each example. The test set has round(fraction * n) of n examples, at least
// one; a half is rounded up. With kRandom, it never has all. A stratified split takes
// round(fraction * n) of the n examples of each class, possibly none of a class, but never all of
// them. With SplitTake::kLast, the test set is the last examples of the source. Returns
// InvalidArgument if the training set or the test set would be empty, or if a stratified split does
// not have one class per example.
StatusOr<std::vector<Part>> PartsOf(const job::SplitConfig& split, const SplitExamples& of);

// Options for selecting a part of a table that was read completely.
struct SelectOptions {
  SplitPart part;
  int64_t overlap = 0;  // see SplitExamples::overlap
  RowMemory memory;     // for the selected part
};
// Returns a table with the examples of the part, in source order and numbered again from 0. It has
// no warnings. Errors are those of PartsOf and of the temporary files.
StatusOr<ExampleTable> SelectPart(const ExampleTable& table, const SelectOptions& options);

}  // namespace dl::dataset
