// Generates small data sets for tests. Their classes are easy to learn. They are written as files
// that the dataset readers can read.
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
  int64_t extent = 12;  // images of extent x extent pixels
  int64_t classes = 4;
  uint64_t seed = 1;
};
// Writes images with a bright bar and noise. The position of the bar encodes the class. Ends the
// test program if a file cannot be written.
ImageSet WriteImages(const std::string& prefix, const ImageOptions& options);

}  // namespace dl::test
