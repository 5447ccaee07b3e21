// Other data for a model that was trained: what `--data FILE` of a command names.
#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "cli/command.h"
#include "cli/table_flags.h"
#include "dataset/schema.h"
#include "dataset/split.h"
#include "job/job_spec.h"

namespace dl::cli {

struct ModelData {
  job::DatasetSpec dataset;
  std::optional<dataset::SplitPart> part;  // of its examples; without: all
  bool has_labels = true;                  // false: a bare table without the model's label
};

struct ModelDataOptions {
  std::string path;  // a bare file of data, a folder of images, which get the size that the model
                     // takes, a .json file with a dataset, or a job spec
  const job::JobSpec* trained = nullptr;
  const dataset::Schema* training = nullptr;  // of its training set
  const TableFlags* table = nullptr;          // how a bare table is read
  // Whether `err` is told how a bare file is read.
  bool tell = false;
};

// Reads the test set of a job spec, or all of a dataset. The columns of a bare table are found by
// the names that the model remembers, and its labels are of the kind that the model has.
StatusOr<ModelData> ReadModelData(const ModelDataOptions& options, Context& context);

}  // namespace dl::cli
