// Decodes an image file row by row. The format, PNG or JPEG, is recognized by the first bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/status.h"
#include "dataset/readers/image/image_orientation.h"
#include "dataset/readers/source_file.h"

namespace dl::dataset {

// Rows are read as they are stored. The orientation in EXIF is in the header, and the caller has to
// apply it. Transparency, profiles and gamma are ignored. 16-bit values are rounded to 8 bits;
// palettes and fewer bits are expanded to 8 bits. Detectable damage gives DataLoss with file and
// byte. Not thread-safe.
class ImageFile {
 public:
  struct Header {
    int64_t height = 0, width = 0;
    int64_t channels = 0;  // 1: gray; 3: red, green, blue
    Orientation orientation = Orientation::kTopLeft;
    bool is_deep = false;    // stored values have 16 bits
    bool has_alpha = false;  // pixels may be transparent
    // Memory for images whose rows cannot be decoded one by one: interlaced PNG, JPEG with several
    // scans. 0 for others.
    int64_t memory_bytes = 0;
  };
  virtual ~ImageFile() = default;

  const Header& header() const { return header_; }
  // Allocates the memory. Must be called once, before the first row. This and the functions below
  // return DataLoss, with the position, for a damaged or incomplete file, and the errors of
  // SourceFile::ReadSome.
  virtual Status Begin() = 0;
  // Reads the next row from the top: width * channels bytes, the channels of a pixel next to each
  // other.
  virtual Status ReadRow(std::span<uint8_t> row) = 0;
  // Checks that the file is complete. Must be called after the last row.
  virtual Status Finish() = 0;

 protected:
  Header header_;
};

// Opens an image and reads its header. Returns the errors of SourceFile::Open and
// CheckImageSize, InvalidArgument for another format or an unsupported kind (CMYK), and DataLoss if
// the header is damaged.
StatusOr<std::unique_ptr<ImageFile>> OpenImage(const std::string& path);

// Open a file whose first bytes have been read. OpenJpeg continues after `begin`.
StatusOr<std::unique_ptr<ImageFile>> OpenPng(SourceFile file);
StatusOr<std::unique_ptr<ImageFile>> OpenJpeg(SourceFile file, const std::string& begin);

// Returns ResourceExhausted unless sides and number of pixels are within the limits.
Status CheckImageSize(const SourceFile& file, int64_t height, int64_t width);

}  // namespace dl::dataset
