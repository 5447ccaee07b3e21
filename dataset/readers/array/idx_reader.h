// Reads IDX, the format of MNIST (LeCun, "THE MNIST DATABASE"): two zero bytes, a type, a rank,
// big-endian dimensions, values.
//
// Features of shape [N] and [N, F] become rows of a table. [N, H, W] becomes images (1, H, W),
// [N, C, H, W] images (C, H, W), and [N, C, D, H, W] volumes. With another `layout` the channels
// are last. Labels have the shape [N] and are whole numbers from 0, or `no_label`.
#pragma once

#include "base/status.h"
#include "dataset/example_table.h"
#include "dataset/readers/read_options.h"
#include "job/sources/idx.h"

namespace dl::dataset {

// Unsigned bytes stay bytes; other types become float32. Returns DataLoss, with file and byte, if a
// file is not an IDX file or does not fit the others. Other errors are those of SourcePaths,
// PathsBeside, SourceFile, AppendWeights, FinishWeights, AssignClasses, CheckSameSchema,
// ValidateTable and SpillFeatures.
StatusOr<ExampleTable> ReadIdx(const job::IdxSource& source, const ReadOptions& options = {});

}  // namespace dl::dataset
