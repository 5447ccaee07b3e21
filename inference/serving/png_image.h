// Encodes small images for browsers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace dl::inference {

// Returns an image as a PNG file (ISO/IEC 15948) whose data is not compressed. `pixels` is [height,
// width, channels] with 1 channel (gray) or 3 (red, green, blue). REQUIRES: width and height are
// from 1 to 65,535, and the size of `pixels` fits.
std::string EncodePng(std::span<const uint8_t> pixels, int64_t width, int64_t height,
                      int64_t channels);

// Returns the text of RFC 4648, section 4, with padding.
std::string EncodeBase64(std::string_view bytes);

}  // namespace dl::inference
