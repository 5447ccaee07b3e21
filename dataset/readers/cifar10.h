// CIFAR-10, binary version (Krizhevsky, 2009): records of 3,073 bytes, a label 0..9 and 3 x 32 x 32
// bytes.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "dataset/example_table.h"

namespace dl::dataset {

struct Cifar10Options {
  std::vector<std::string> paths;  // data_batch_1.bin, ...: read one after the other; plain or gzip
  const Schema* training = nullptr;  // for a test split
  RowMemory memory;
};

// Images (3, 32, 32) of bytes and ten named classes. Errors name file and byte.
StatusOr<ExampleTable> ReadCifar10(const Cifar10Options& options);

}  // namespace dl::dataset
