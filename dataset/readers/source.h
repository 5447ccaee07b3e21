// The one way in to all readers: what a user says about the files of one split, read.
#pragma once

#include <string>

#include "base/status.h"
#include "dataset/block_cutting.h"
#include "dataset/example_table.h"
#include "dataset/readers/read_options.h"
#include "job/dataset_spec.h"

namespace dl::dataset {

// Whether it may be read without labels (LabelColumns): not where a file has both.
bool MayLackLabels(const job::DatasetSpec& source);

// The examples of a source, in the order of its files. InvalidArgument for a manifest, which is
// none. Errors name the file, and in it the line, column or byte.
StatusOr<ExampleTable> ReadSource(const job::DatasetSpec& source, const ReadOptions& options = {});

// SHA-256 over the files' absolute paths, sizes and modification times, and everything that decides
// what an import makes of them: the key under which an earlier import may be used again. Errors: a
// file is not there, a pattern matches none.
StatusOr<std::string> SourceFingerprint(const job::DatasetSpec& source, const CutOptions& options,
                                        const ReadOptions& reading = {});

}  // namespace dl::dataset
