// A file of one image, PNG or JPEG as its first bytes say, row by row.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/status.h"
#include "dataset/readers/source_file.h"

namespace dl::dataset {

// What it says of its colours beyond values of red, green and blue (transparency, profiles, gamma)
// is left aside, and so is what EXIF says of its orientation. Values of 16 bits are rounded to 8,
// palettes and fewer bits become 8. Damage that the format lets one see is DataLoss with file and
// byte. Not thread-safe.
class ImageFile {
 public:
  struct Header {
    int64_t height = 0, width = 0;
    int64_t channels = 0;      // 1: grey; 3: red, green, blue
    int64_t memory_bytes = 0;  // what it takes where rows do not come one by one: interlaced PNG,
                               // JPEG of several scans; 0: they do
  };
  virtual ~ImageFile() = default;

  const Header& header() const { return header_; }
  // Once, before the first row: takes the memory.
  virtual Status Begin() = 0;
  // The next row from the top: width * channels bytes, those of a pixel side by side.
  virtual Status ReadRow(std::span<uint8_t> row) = 0;
  // Behind the last row: that the file is whole to its end.
  virtual Status Finish() = 0;

 protected:
  Header header_;
};

// Errors: the file is not there, of another format, of no pixels or more than
// limits::kMaxImagePixels, or of a kind that is not read (CMYK).
StatusOr<std::unique_ptr<ImageFile>> OpenImage(const std::string& path);

// Of a file whose first bytes, `begin`, were read.
StatusOr<std::unique_ptr<ImageFile>> OpenPng(SourceFile file);
StatusOr<std::unique_ptr<ImageFile>> OpenJpeg(SourceFile file, const std::string& begin);

// OK where sides and pixels are within limits.
Status CheckImageSize(const SourceFile& file, int64_t height, int64_t width);

}  // namespace dl::dataset
