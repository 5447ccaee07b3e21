// Small data sets that tests make for themselves: classes that a small network can learn, written
// as files that the readers read.
#pragma once

#include <cstdint>
#include <string>

#include "tests/support/temp_folder.h"

namespace dl::test {

struct ImageSet {
  std::string features, labels;  // IDX files
};

struct ImageOptions {
  int64_t examples = 100;
  int64_t extent = 12;  // images of extent x extent
  int64_t classes = 4;
  uint64_t seed = 1;
};
// A bright bar whose place is the class, and noise. Ends the test program when it cannot write.
ImageSet WriteImages(const std::string& prefix, const ImageOptions& options);

}  // namespace dl::test
