#include "dataset/readers/image/image_orientation.h"

#include <cstddef>
#include <optional>

namespace dl::dataset {
namespace {

// Numbers of a TIFF file, whose byte order is in its header.
class TiffNumbers {
 public:
  explicit TiffNumbers(std::span<const uint8_t> bytes) : bytes_(bytes) {
    is_little_ = !bytes.empty() && bytes[0] == 'I';
  }
  // Returns nullopt if the file ends before.
  std::optional<uint32_t> At(size_t at, size_t size) const {
    if (at > bytes_.size() || size > bytes_.size() - at) return std::nullopt;
    uint32_t value = 0;
    for (size_t i = 0; i < size; ++i)
      value = value << 8 | bytes_[is_little_ ? at + size - 1 - i : at + i];
    return value;
  }

 private:
  const std::span<const uint8_t> bytes_;
  bool is_little_ = false;
};

}  // namespace

Orientation OrientationInExif(std::span<const uint8_t> exif) {
  constexpr uint32_t kVersion = 42, kOrientation = 0x0112, kShort = 3;
  constexpr size_t kEntryBytes = 12;
  const TiffNumbers numbers(exif);
  const bool has_order =
      exif.size() >= 2 && exif[0] == exif[1] && (exif[0] == 'I' || exif[0] == 'M');
  if (!has_order || numbers.At(2, 2) != kVersion) return Orientation::kTopLeft;
  const size_t folder = numbers.At(4, 4).value_or(0);
  const uint32_t entries = numbers.At(folder, 2).value_or(0);
  for (size_t i = 0; i < entries; ++i) {
    const size_t entry = folder + 2 + i * kEntryBytes;
    const std::optional<uint32_t> tag = numbers.At(entry, 2);
    if (!tag) break;
    if (*tag != kOrientation || numbers.At(entry + 2, 2) != kShort) continue;
    const uint32_t value = numbers.At(entry + 8, 2).value_or(0);
    return value >= 1 && value <= 8 ? static_cast<Orientation>(value) : Orientation::kTopLeft;
  }
  return Orientation::kTopLeft;
}

bool SwapsSides(Orientation orientation) { return orientation >= Orientation::kLeftTop; }

bool ReversesRows(Orientation orientation) {
  return orientation == Orientation::kBottomRight || orientation == Orientation::kBottomLeft ||
         orientation == Orientation::kRightTop || orientation == Orientation::kRightBottom;
}

bool ReversesColumns(Orientation orientation) {
  return orientation == Orientation::kTopRight || orientation == Orientation::kBottomRight ||
         orientation == Orientation::kRightBottom || orientation == Orientation::kLeftBottom;
}

void TurnUpright(Orientation orientation, std::span<const uint8_t> stored, int64_t height,
                 int64_t width, std::span<uint8_t> upright) {
  const bool swaps = SwapsSides(orientation), from_last_row = ReversesRows(orientation),
             from_last_column = ReversesColumns(orientation);
  for (int64_t y = 0; y < height; ++y) {
    const int64_t down = from_last_row ? height - 1 - y : y;
    for (int64_t x = 0; x < width; ++x) {
      const int64_t across = from_last_column ? width - 1 - x : x;
      upright[swaps ? across * height + down : down * width + across] = stored[y * width + x];
    }
  }
}

}  // namespace dl::dataset
