// What is told to every reader beside its source (job/dataset_spec.h).
#pragma once

#include <optional>

#include "dataset/example_table.h"
#include "dataset/schema.h"
#include "dataset/split.h"

namespace dl::dataset {

struct ReadOptions {
  // Of a test split: the training split's, which it must fit and whose classes it maps to. Has to
  // outlive the reading.
  const Schema* training = nullptr;
  RowMemory memory;
  std::optional<SplitPart> part;  // the examples that are wanted; without: all
};

}  // namespace dl::dataset
