// CIFAR-10 and CIFAR-100, binary versions (Krizhevsky, "Learning multiple layers of features from
// tiny images", 2009): records of a label, or of a coarse and a fine one, and 3 x 32 x 32 bytes.
#pragma once

#include "base/status.h"
#include "dataset/example_table.h"
#include "dataset/readers/read_options.h"
#include "job/sources/cifar10.h"
#include "job/sources/cifar100.h"

namespace dl::dataset {

// Images (3, 32, 32) of bytes and named classes, of all files one after the other. Errors name file
// and byte: a label that there is not, records that are not whole.
StatusOr<ExampleTable> ReadCifar10(const job::Cifar10Source& source,
                                   const ReadOptions& options = {});
StatusOr<ExampleTable> ReadCifar100(const job::Cifar100Source& source,
                                    const ReadOptions& options = {});

}  // namespace dl::dataset
