// Reads the source of one split, as the user describes it. This is the only entry to all readers.
#pragma once

#include <string>

#include "base/status.h"
#include "dataset/block_cutting.h"
#include "dataset/example_table.h"
#include "dataset/readers/read_options.h"
#include "job/dataset_spec.h"

namespace dl::dataset {

// Returns whether the source may be read without labels (LabelColumns). This is not possible if one
// file has both.
bool MayHaveNoLabels(const job::DatasetSpec& source);

// Returns the examples of a source in the order of its files, with scaled weights and with warnings
// for users. Reads the source a second time if an origin must be subtracted from features or
// targets (ReadOptions::may_shift, target_normalizer). Errors name the file and the line, column or
// byte in it. Returns InvalidArgument if the source is a manifest.
StatusOr<ExampleTable> ReadSource(const job::DatasetSpec& source, const ReadOptions& options = {});

// Returns the SHA-256 over the files' absolute paths, sizes, inodes, modification and change times,
// and over all options that affect the import. An earlier import with the same key can be used
// again. Returns NotFound if a file does not exist or cannot be read, or if a pattern matches none,
// and other errors of SourcePaths, ImageFolders and ImagesIn.
StatusOr<std::string> SourceFingerprint(const job::DatasetSpec& source, const CutOptions& options,
                                        const ReadOptions& reading = {});

}  // namespace dl::dataset
