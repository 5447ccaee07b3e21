// The orientation of a photo, which a camera stores beside its pixels (EXIF 2.32, tag 0x0112).
#pragma once

#include <cstdint>
#include <span>

namespace dl::dataset {

// Positions of the first stored row and the first stored column in the upright image, with the
// numbers of EXIF.
enum class Orientation : uint8_t {
  kTopLeft = 1,  // the pixels are stored upright
  kTopRight,
  kBottomRight,
  kBottomLeft,
  kLeftTop,
  kRightTop,
  kRightBottom,
  kLeftBottom,
};

// Reads EXIF data, which begins with a TIFF header. Returns kTopLeft if it is damaged or has no
// orientation.
Orientation OrientationInExif(std::span<const uint8_t> exif);

// Returns whether height and width of the upright image are width and height of the stored one.
bool SwapsSides(Orientation orientation);
// Returns whether the last stored row is the first row or column of the upright image.
bool ReversesRows(Orientation orientation);
// The same for the stored columns.
bool ReversesColumns(Orientation orientation);

// Writes the pixels of one channel as they are seen. `stored` is [height, width], and `upright` has
// as many values. The two must not overlap.
void TurnUpright(Orientation orientation, std::span<const uint8_t> stored, int64_t height,
                 int64_t width, std::span<uint8_t> upright);

}  // namespace dl::dataset
