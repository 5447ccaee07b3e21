#include "inference/serving/png_image.h"

#include <algorithm>
#include <array>

#include "absl/strings/escaping.h"

namespace dl::inference {
namespace {

void AppendBigEndian(uint32_t value, std::string& out) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xff);
}

// ISO/IEC 15948, annex D.
uint32_t Crc(std::string_view bytes) {
  static const std::array<uint32_t, 256> kTable = [] {
    std::array<uint32_t, 256> table{};
    for (uint32_t n = 0; n < 256; ++n) {
      uint32_t c = n;
      for (int k = 0; k < 8; ++k) c = (c & 1) != 0 ? 0xedb88320u ^ (c >> 1) : c >> 1;
      table[n] = c;
    }
    return table;
  }();
  uint32_t c = 0xffffffffu;
  for (const char byte : bytes) c = kTable[(c ^ static_cast<uint8_t>(byte)) & 0xff] ^ (c >> 8);
  return ~c;
}

void AppendChunk(std::string_view type, std::string_view data, std::string& out) {
  AppendBigEndian(static_cast<uint32_t>(data.size()), out);
  const size_t begin = out.size();
  out += type;
  out += data;
  AppendBigEndian(Crc(std::string_view(out).substr(begin)), out);
}

uint32_t Adler(std::string_view bytes) {
  uint32_t a = 1, b = 0;
  for (const char byte : bytes) {
    a = (a + static_cast<uint8_t>(byte)) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

// Returns a zlib stream of stored blocks (RFC 1950 and RFC 1951, section 3.2.4).
std::string Stored(std::string_view bytes) {
  constexpr size_t kMaxStoredBlockBytes = 65'535;
  std::string out("\x78\x01", 2);
  size_t at = 0;
  do {
    const size_t size = std::min(kMaxStoredBlockBytes, bytes.size() - at);
    const bool is_last = at + size == bytes.size();
    out += static_cast<char>(is_last ? 1 : 0);
    for (const size_t word : {size, ~size}) {
      out += static_cast<char>(word & 0xff);
      out += static_cast<char>(word >> 8 & 0xff);
    }
    out += bytes.substr(at, size);
    at += size;
  } while (at < bytes.size());
  AppendBigEndian(Adler(bytes), out);
  return out;
}

}  // namespace

std::string EncodePng(std::span<const uint8_t> pixels, int64_t width, int64_t height,
                      int64_t channels) {
  constexpr char kGray = 0, kColors = 2;
  std::string head;
  AppendBigEndian(static_cast<uint32_t>(width), head);
  AppendBigEndian(static_cast<uint32_t>(height), head);
  head += {8, channels == 1 ? kGray : kColors, 0, 0, 0};
  const auto row = static_cast<size_t>(width * channels);
  std::string lines;
  for (int64_t y = 0; y < height; ++y) {
    lines += '\0';  // no filter
    const auto line = pixels.subspan(static_cast<size_t>(y) * row, row);
    lines.append(reinterpret_cast<const char*>(line.data()), line.size());
  }
  std::string out("\x89PNG\r\n\x1a\n", 8);
  AppendChunk("IHDR", head, out);
  AppendChunk("IDAT", Stored(lines), out);
  AppendChunk("IEND", "", out);
  return out;
}

std::string EncodeBase64(std::string_view bytes) {
  return absl::Base64Escape(absl::string_view(bytes.data(), bytes.size()));
}

}  // namespace dl::inference
