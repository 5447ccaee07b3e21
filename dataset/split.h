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

enum class Part : uint8_t { kTraining = 1, kTest = 2 };

// The examples of a source that are read; in their order, counted from 0.
struct SplitPart {
  job::SplitConfig split;
  Part part = Part::kTraining;
};

// For each example whether it is of the test set: round(fraction * n) of n, at least one and not
// all. Stratified the same of each class, which never has all of its examples there. `classes` are
// those of the examples; read only where it is stratified. Errors: nothing is left for one part;
// not one class for each example where it is stratified.
StatusOr<std::vector<bool>> TestExamples(const job::SplitConfig& split, int64_t examples,
                                         std::span<const int32_t> classes);

// The part of a table that was read whole. `memory` is for the part.
StatusOr<ExampleTable> SelectPart(const ExampleTable& table, const SplitPart& part,
                                  const RowMemory& memory);

}  // namespace dl::dataset
