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

// Returns whether the upright image has the height of the stored image as its width, and the stored
// width as its height.
bool SwapsSides(Orientation orientation);
// Returns whether the last stored row is the first row or column of the upright image.
bool ReversesRows(Orientation orientation);
// Returns whether the last stored column is the first row or column of the upright image.
bool ReversesColumns(Orientation orientation);

// Writes the upright pixels of one channel. `stored` is [height, width]. `upright` is [width,
// height] if the orientation swaps the sides, otherwise [height, width]. The two must not overlap.
void TurnUpright(Orientation orientation, std::span<const uint8_t> stored, int64_t height,
                 int64_t width, std::span<uint8_t> upright);

}  // namespace dl::dataset
