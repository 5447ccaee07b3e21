// Options of all readers, in addition to the source (job/dataset_spec.h).
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
#include "dataset/target_normalizer.h"

namespace dl::dataset {

// Whether a dataset has the labels that its source names. Data for prediction may have none.
enum class LabelColumns : uint8_t { kAsTheSourceSays, kNone };

class PrecisionWatch;  // see dataset/readers/feature_rounder.h

// Number of values of a column of categories that the training set lacks.
struct UnknownCategories {
  std::string column;  // its name, or "column 3" counted from 1
  int64_t unknown = 0, values = 0;
  std::string example;  // first unknown value
};

struct ReadOptions {
  // The schema of the training split, when a test split is read. The test split must fit it and
  // uses its classes. Must outlive the reading.
  const Schema* training = nullptr;
  RowMemory memory;
  std::optional<SplitPart> part;  // the examples to read; nullopt: all
  // For csv, idx, npy, npz and image_folder. With kNone the table gets labels of the training
  // split's kind, all of them 0 (sequences of classes are empty), which must not be used. Images
  // are then directly in the folder. kNone REQUIRES `training` and no `part`.
  LabelColumns labels = LabelColumns::kAsTheSourceSays;
  // Whether the weights of the examples will be used. If not, examples without weights are no
  // reason for a warning.
  bool uses_weights = true;
  // Whether the values will be shifted by a normalizer (dataset/normalizer.h). Then an origin may
  // be subtracted from the values of a feature before they are rounded to float32. A test split has
  // the origins of its training split.
  bool may_shift = false;
  // The normalizer that will shift the numbers to predict. The numbers that it shifts may also have
  // an origin. Null: no normalizer.
  const TargetNormalizerOptions* target_normalizer = nullptr;
  // Set by ReadSource: the origin of each feature and of each target, and the objects that watch
  // rounded values.
  std::span<const double> origins = {}, target_origins = {};
  PrecisionWatch* watch = nullptr;
  PrecisionWatch* target_watch = nullptr;
  // For image_folder and csv: the threads that decode images, or parse rows, at the same time. 0:
  // as many as the process has cores, at most 16. The table does not depend on it.
  int64_t threads = 0;
  // For image_folder: called on the thread of the caller before each image is added. An error ends
  // the reading. May be empty.
  std::function<Status()> may_go_on;
  // For image_folder: if not null and there is no `part`, receives the path of each example's file.
  std::vector<std::string>* paths = nullptr;
  // If not null, the csv reader writes the columns with unknown categories to it.
  std::vector<UnknownCategories>* unknown = nullptr;
};

}  // namespace dl::dataset
