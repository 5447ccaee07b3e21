// What is told to every reader beside its source (job/dataset_spec.h).
#pragma once

#include "dataset/example_table.h"
#include "dataset/schema.h"

namespace dl::dataset {

struct ReadOptions {
  // Of a test split: the training split's, which it must fit and whose classes it maps to. Has to
  // outlive the reading.
  const Schema* training = nullptr;
  RowMemory memory;
};

}  // namespace dl::dataset
