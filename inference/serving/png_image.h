// Encodes small images as PNG files, and bytes as Base64, for data URLs in web pages.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace dl::inference {

// Returns the bytes of a PNG file (ISO/IEC 15948) whose data is not compressed. `pixels` is
// [height, width, channels] with 1 channel (gray) or 3 (red, green, blue). REQUIRES: width and
// height are at least 1, and `pixels` has height * width * channels bytes, at most 1 GiB.
// Thread-safe.
std::string EncodePng(std::span<const uint8_t> pixels, int64_t width, int64_t height,
                      int64_t channels);

// Returns the bytes in Base64 (RFC 4648, section 4), with padding. Thread-safe.
std::string EncodeBase64(std::string_view bytes);

}  // namespace dl::inference
