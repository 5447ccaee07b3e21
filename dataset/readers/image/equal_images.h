// Finds images of a folder that have the same pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace dl::dataset {

// Remembers a hash and a path of each image with distinct pixels. Not thread-safe.
class EqualImages {
 public:
  // Adds an image in its final size. `of_class` is its class.
  void Add(std::span<const uint8_t> pixels, const std::string& path, int32_t of_class);

  // Adds a warning if all images are equal, if equal images have different classes, or if at least
  // a tenth of the images are copies of others.
  void Warn(std::vector<std::string>& warnings) const;

 private:
  struct Seen {
    std::string path;
    int32_t of_class = 0;
  };
  // Two paths with the same image.
  struct Pair {
    std::string first, second;
  };
  absl::flat_hash_map<uint64_t, Seen> first_with_;  // by hash of the pixels
  int64_t images_ = 0, copies_ = 0, in_other_class_ = 0;
  Pair copy_, contradiction_;  // the first ones
};

}  // namespace dl::dataset
