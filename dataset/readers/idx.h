// IDX, the format of MNIST (LeCun, "THE MNIST DATABASE"): two zero bytes, a type, a rank,
// big-endian extents, values.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "dataset/example_table.h"

namespace dl::dataset {

struct IdxOptions {
  std::string features;  // [N, H, W] becomes images (1, H, W), [N, C, H, W] (C, H, W), [N, F] and
                         // [N] tables
  std::string labels;    // [N], whole numbers from 0
  std::vector<std::string> class_names;  // as many classes; without them the largest label + 1
  RowMemory memory;
  const Schema* training = nullptr;  // of a test split: the training split's, which it must fit
};

// Unsigned bytes stay bytes; other types become float32. Plain or gzip files. Errors name file and
// byte.
StatusOr<ExampleTable> ReadIdx(const IdxOptions& options);

}  // namespace dl::dataset
