// Test sets that are taken out of the training set's files.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/json_fwd.h"
#include "base/status.h"
#include "dataset/readers/source.h"
#include "job/dataset_spec.h"
#include "job/sources/manifest_source.h"
#include "job/split_config.h"

namespace dl::cli {

// Parses the value of --test-fraction. Returns UsageError unless it is between 0 and 1.
StatusOr<double> ParseTestFraction(const std::string& text);

// Reads a source: all examples, or only those of `part`. Returns the errors of ImportMemory, and
// errors of reading (AsDataError).
StatusOr<dataset::ExampleTable> ReadTable(const job::DatasetSpec& dataset,
                                          const std::optional<dataset::SplitPart>& part,
                                          const std::map<std::string, std::string>& environment);
// Reads all of a source as ReadTable does, but only the names of a folder of images. The import
// decodes these images later, and reports files that are no images.
StatusOr<dataset::ExampleTable> ReadWhole(const job::DatasetSpec& dataset,
                                          const std::map<std::string, std::string>& environment);

// Sets how a split draws its examples unless `stated` specifies it. For texts and time series, the
// end is the test set. Classes keep their shares. `whole` describes all examples.
void CompleteSplit(const Json& stated, const job::DatasetSpec& dataset,
                   const job::DatasetSummary& whole, job::SplitConfig& split);

}  // namespace dl::cli
