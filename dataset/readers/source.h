// Reads the source of one split, as the user describes it. Other folders read whole sources only
// through this file.
#pragma once

#include <string>

#include "base/status.h"
#include "dataset/block_cutting.h"
#include "dataset/example_table.h"
#include "dataset/readers/read_options.h"
#include "job/dataset_spec.h"

namespace dl::dataset {

// Returns whether the source may be read without labels (LabelColumns::kNone). True for csv, idx,
// npy, npz and image_folder.
bool MayHaveNoLabels(const job::DatasetSpec& source);

// Returns the examples of a source in the order of its files, with scaled weights and with warnings
// for users. Reads the source a second time if an origin must be subtracted from features or
// targets (ReadOptions::may_shift, target_normalizer). Errors about a value name the file and the
// line, column or byte in it. Returns InvalidArgument if the source is a manifest.
StatusOr<ExampleTable> ReadSource(const job::DatasetSpec& source, const ReadOptions& options = {});

// Returns the SHA-256 over the source, the version of the readers, and the options that affect an
// import with labels. It also covers the files' absolute paths, sizes, inodes, modification and
// change times. An earlier import with the same key can be used again. Does not read the files.
// Returns NotFound if a file does not exist or cannot be accessed, and the errors of SourcePaths,
// ImageFolders and ImagesIn.
StatusOr<std::string> SourceFingerprint(const job::DatasetSpec& source, const CutOptions& options,
                                        const ReadOptions& reading = {});

}  // namespace dl::dataset
