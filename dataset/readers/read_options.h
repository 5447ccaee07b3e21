// What is told to every reader beside its source (job/dataset_spec.h).
#pragma once

#include <cstdint>
#include <optional>

#include "dataset/example_table.h"
#include "dataset/schema.h"
#include "dataset/split.h"

namespace dl::dataset {

// Whether a table has the columns of labels that its source names; one that is predicted may not.
enum class LabelColumns : uint8_t { kAsTheSourceSays, kNone };

struct ReadOptions {
  // Of a test split: the training split's, which it must fit and whose classes it maps to. Has to
  // outlive the reading.
  const Schema* training = nullptr;
  RowMemory memory;
  std::optional<SplitPart> part;  // the examples that are wanted; without: all
  // Of csv. kNone REQUIRES `training` and no `part`: the table gets labels of the training split's
  // kind, all of them 0, and nothing that looks at labels may be done with it.
  LabelColumns labels = LabelColumns::kAsTheSourceSays;
};

}  // namespace dl::dataset
