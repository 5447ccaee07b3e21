// Other data for a model that was trained: what `--data FILE` of a command names.
#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "cli/command.h"
#include "dataset/schema.h"
#include "dataset/split.h"
#include "job/job_spec.h"

namespace dl::cli {

struct ModelData {
  job::DatasetSpec dataset;
  std::optional<dataset::SplitPart> part;  // of its examples; without: all
};

struct ModelDataOptions {
  std::string path;  // a bare file of data, a folder of images, which get the size that the model
                     // takes, a .json file with a dataset, or a job spec
  const job::JobSpec* trained = nullptr;
  const dataset::Schema* training = nullptr;  // of its training set
  // Whether `err` is told how a bare file is read.
  bool tell = false;
};

// Of a job spec its test set is meant. A bare table's labels are of the kind that the model has,
// and the column that its header has beside those that the model knows.
StatusOr<ModelData> ReadModelData(const ModelDataOptions& options, Context& context);

}  // namespace dl::cli
