// Other data for a trained model, as `--data FILE` of a command names it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"
#include "cli/command.h"
#include "cli/data/table_flags.h"
#include "dataset/schema.h"
#include "dataset/split.h"
#include "job/job_spec.h"

namespace dl::cli {

// Whether the data must have labels.
enum class ModelLabels : uint8_t { kRequired, kOptional };

struct ModelData {
  job::DatasetSpec dataset;
  std::optional<dataset::SplitPart> part;  // nullopt: all examples
  bool has_labels = true;                  // false: a bare file without the label of the model
};

struct ModelDataOptions {
  // Path of a data file, a folder of images, a .json file with a dataset, or a job spec. Images are
  // resized for the model. If the model was trained on texts, a file of any other name is a text.
  std::string path;
  const job::JobSpec* trained = nullptr;      // of the model; REQUIRES: not null
  const dataset::Schema* training = nullptr;  // schema of its training set; REQUIRES: not null
  const TableFlags* table = nullptr;          // how a table is read; REQUIRES: not null
  ModelLabels labels = ModelLabels::kRequired;
  // Whether to report on `err` how a data file is read.
  bool tell = false;
};

// Describes the data at the path. A data file and a dataset are described completely. A job spec
// gives its test set, else the test part of its split, else its training set. A table, libsvm
// file or archive is read for its description; no examples are returned. The columns of a table are
// found by the names that the model stores, and its labels are of the kind of the model's labels.
// Returns errors about the content of a data file with exit code 65, and UsageError for a table
// flag with a .json file. Other errors are those of ReadJobDocument and ReadDatasetDocument.
StatusOr<ModelData> ReadModelData(const ModelDataOptions& options, Context& context);

}  // namespace dl::cli
