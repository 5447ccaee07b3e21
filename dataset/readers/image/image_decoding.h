// Decodes the images of a folder on several threads, and passes them on in their order.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "job/sources/image_folder.h"

namespace dl::dataset {

// An image as an example: [channels, height, width], resized and turned upright.
struct DecodedImage {
  Status status;  // errors of OpenImage and ImageFile, and ResourceExhausted; then no pixels
  std::vector<uint8_t> pixels;
  bool is_deep = false;    // stored values have 16 bits
  bool has_alpha = false;  // pixels may be transparent
  uint8_t largest = 0;     // of all stored values of a deep image, with 8 bits
};

struct ImageDecodingOptions {
  int64_t memory_bytes = 0;  // at least limits::kImageMemoryBytes are used
  int64_t threads = 0;       // as ReadOptions::threads
};

// Decodes the images and calls `visit` on the thread of the caller, image by image in the order of
// `paths`. Stops at the first error of `visit` and returns it. Errors of images are in
// DecodedImage. Needs 8 bytes for each value of an example and for each thread, and a quarter of
// the memory for images that wait for `visit`. If these do not fit, fewer threads decode. Images
// whose rows cannot be decoded one by one share the memory: they wait for one another.
Status DecodeImages(std::span<const std::string> paths, const job::ImageFolderSource& source,
                    const ImageDecodingOptions& options,
                    const std::function<Status(size_t, const DecodedImage&)>& visit);

}  // namespace dl::dataset
