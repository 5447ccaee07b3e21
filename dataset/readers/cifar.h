// CIFAR-10, binary version (Krizhevsky, 2009): records of 3,073 bytes, a label 0..9 and 3 x 32 x 32
// bytes.
#pragma once

#include "base/status.h"
#include "dataset/example_table.h"
#include "dataset/readers/read_options.h"
#include "job/sources/cifar10.h"

namespace dl::dataset {

// Images (3, 32, 32) of bytes and named classes, of all files one after the other. Errors name file
// and byte.
StatusOr<ExampleTable> ReadCifar10(const job::Cifar10Source& source,
                                   const ReadOptions& options = {});

}  // namespace dl::dataset
