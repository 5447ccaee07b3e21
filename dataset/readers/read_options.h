// What is told to every reader beside its source (job/dataset_spec.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "dataset/example_table.h"
#include "dataset/schema.h"
#include "dataset/split.h"

namespace dl::dataset {

// Whether a dataset has the labels that its source names; one that is predicted may not.
enum class LabelColumns : uint8_t { kAsTheSourceSays, kNone };

class PrecisionWatch;  // dataset/readers/feature_rounder.h

// How many values of a column of categories the training set does not have.
struct UnknownCategories {
  std::string column;  // its name, or "column 3" counted from 1
  int64_t unknown = 0, values = 0;
  std::string example;  // the first of them
};

struct ReadOptions {
  // Of a test split: the training split's, which it must fit and whose classes it maps to. Has to
  // outlive the reading.
  const Schema* training = nullptr;
  RowMemory memory;
  std::optional<SplitPart> part;  // the examples that are wanted; without: all
  // Of csv, idx, npy, npz and image_folder. kNone REQUIRES `training` and no `part`: the table gets
  // labels of the training split's kind, all of them 0 (sequences of classes are empty), and
  // nothing that looks at labels may be done with it. Images lie in their folder itself then.
  LabelColumns labels = LabelColumns::kAsTheSourceSays;
  // Whether what is read will be shifted (dataset/normalizer.h), so that an origin may be taken off
  // the values of a feature before they are rounded to float32. A test split has its training
  // split's origins.
  bool may_shift = false;
  // Set by ReadSource: the origin of each feature, and what counts the values that are rounded.
  std::span<const double> origins = {};
  PrecisionWatch* watch = nullptr;
  PrecisionWatch* target_watch = nullptr;  // likewise, of numbers to predict
  // Of image_folder: asked before each image, an error ends the reading; may be empty.
  std::function<Status()> may_go_on;
  // Of image_folder: gets the path of each example's file, if it is not null and there is no
  // `part`.
  std::vector<std::string>* paths = nullptr;
  // If not null, csv writes the columns that have unknown categories to it.
  std::vector<UnknownCategories>* unknown = nullptr;
};

}  // namespace dl::dataset
