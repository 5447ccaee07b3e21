// The datasets of a document: a single dataset ({"format": "csv", …}) or the data of a job spec.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include "base/json_fwd.h"
#include "base/status.h"
#include "dataset/manifest.h"
#include "job/job_spec.h"

namespace dl::cli {

struct DatasetDocument {
  job::DatasetSpec train;  // also holds a single dataset
  std::optional<job::DatasetSpec> test;
  job::NormalizerChoice normalizer = job::NormalizerChoice::kNone;
  job::NormalizerChoice target_normalizer = job::NormalizerChoice::kNone;
  std::optional<job::SplitConfig> split;
  // How the training set is stored: in source order for jobs that read a stream.
  dataset::CutOrder order = dataset::CutOrder::kShuffled;
};
// Reads a document. Returns InvalidArgument, which lists the mistakes of the datasets and the
// split, and for a job spec the errors of job::CurrentJob. `source` names the document.
StatusOr<DatasetDocument> ReadDatasetDocument(const Json& json, const std::string& source);

// Reads the JSON file of a data set. Errors are those of ReadJobDocument; a missing file has the
// exit code of missing data. Writes nothing to `err`, which ReadJobDocument requires.
StatusOr<Json> ReadDataDocument(const std::string& path, std::ostream& err);

// Parses "none", "standardize" or "min_max". Returns InvalidArgument, with a suggestion, for other
// text.
StatusOr<job::NormalizerChoice> ParseNormalizer(const std::string& name);

}  // namespace dl::cli
