// The data that a trained model is evaluated on or predicts for: `--data FILE` of `evaluate` and
// `predict`.
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

// Applies if the model has labels. kRequired: IDX images without a file of labels, and .npy files,
// are errors. kOptional: they are read without labels. Tables without labels are always accepted
// (ModelData::has_labels).
enum class ModelLabels : uint8_t { kRequired, kOptional };

struct ModelData {
  job::DatasetSpec dataset;
  std::optional<dataset::SplitPart> part;  // nullopt: all examples
  // False: a table, IDX images, an .npy file or a single image lacks the labels that the model has.
  bool has_labels = true;
};

struct ModelDataOptions {
  // Path of a data file, a folder of images, one image if labels are optional, or a .json file with
  // a dataset or a job spec. The images of a folder are resized to the model's input. If the model
  // was trained on texts, every file is read as a text, except .json files and files of arrays
  // (IDX, .npy, .npz, .bin).
  std::string path;
  const job::JobSpec* trained = nullptr;      // spec of the model's job; REQUIRES: not null
  const dataset::Schema* training = nullptr;  // schema of its training set; REQUIRES: not null
  const TableFlags* table = nullptr;          // how a table is read; REQUIRES: not null
  ModelLabels labels = ModelLabels::kRequired;
  // Whether to write to the context's `err` how a data file is read.
  bool report = false;
};

// Returns the dataset that the path names, and which part of it is used. All examples of a data
// file or of a single dataset are used. A job spec gives its test set, else the test part of its
// split, else its training set. A table, libsvm file or archive of arrays is read to describe it,
// but its examples are not returned. The columns of a table are found by the names that the model
// stores. Labels of a data file are read as the kind of labels that the model has.
//
// A data file that is missing, malformed or does not fit the model is an error with exit code 65.
// Returns UsageError for table flags that are invalid or do not apply, for example to a .json file.
// Other errors are those of ReadJobDocument and ReadDatasetDocument.
StatusOr<ModelData> ReadModelData(const ModelDataOptions& options, Context& context);

}  // namespace dl::cli
