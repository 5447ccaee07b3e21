// Reads CIFAR-10 and CIFAR-100, binary versions (Krizhevsky, "Learning multiple layers of features
// from tiny images", 2009). A record is one label, or a coarse and a fine label, and 3 x 32 x 32
// bytes.
#pragma once

#include "base/status.h"
#include "dataset/example_table.h"
#include "dataset/readers/read_options.h"
#include "job/sources/cifar10.h"
#include "job/sources/cifar100.h"

namespace dl::dataset {

// Return the images (3, 32, 32) of all files in order, as bytes, with named classes. Return
// DataLoss, with file and byte, for a label that is out of range, an incomplete record or an empty
// file. ReadCifar100 returns InvalidArgument if the training split has another number of classes
// than its label_level. Other errors are those of SourcePaths, PathsBeside, SourceFile,
// AppendWeights, FinishWeights, AssignClasses, CheckSameSchema, ValidateTable and SpillFeatures.
StatusOr<ExampleTable> ReadCifar10(const job::Cifar10Source& source,
                                   const ReadOptions& options = {});
StatusOr<ExampleTable> ReadCifar100(const job::Cifar100Source& source,
                                    const ReadOptions& options = {});

}  // namespace dl::dataset
