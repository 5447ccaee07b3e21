#include "storage/series/value_packing.h"

#include <zstd.h>

#include <bit>
#include <cstdint>
#include <cstring>

#include "base/log.h"

namespace dl::storage {
namespace {

constexpr int kCompressionLevel = 3;
constexpr uint32_t kSign = 0x80000000;

// Maps a float to an integer so that the order of floats becomes the order of integers.
uint32_t OrderedBits(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  return (bits & kSign) != 0 ? kSign - (bits ^ kSign) : kSign + bits;
}

float FloatOf(uint32_t ordered) {
  return std::bit_cast<float>(ordered >= kSign ? ordered - kSign : kSign | (kSign - ordered));
}

// Maps small differences of both signs to small numbers: 0, -1, 1, -2, ... to 0, 1, 2, 3, ...
uint32_t FoldSign(int32_t difference) {
  return (static_cast<uint32_t>(difference) << 1) ^ static_cast<uint32_t>(difference >> 31);
}

int32_t UnfoldSign(uint32_t folded) {
  return static_cast<int32_t>((folded >> 1) ^ (0 - (folded & 1)));
}

Status NotPacked() {
  return DataLoss({.message = "the values of a series are damaged", .where = "the meta store"});
}

// The parts of the bytes before compression: the number of values, a bit for each value that
// exists, the number of dropped zero bits, and four planes of the existing values.
struct Planes {
  static constexpr size_t kCountBytes = 4;

  static size_t BitmapBytes(size_t count) { return (count + 7) / 8; }
  static size_t Bytes(size_t count, size_t present) {
    return kCountBytes + BitmapBytes(count) + 1 + 4 * present;
  }
};

bool IsPresent(std::string_view bitmap, size_t i) {
  return (static_cast<uint8_t>(bitmap[i / 8]) >> (i % 8) & 1) != 0;
}

StatusOr<std::string> Decompress(std::string_view packed) {
  const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN ||
      size > Planes::Bytes(kMaxPackedValues, kMaxPackedValues))
    return NotPacked();
  std::string bytes(size, '\0');
  const size_t got = ZSTD_decompress(bytes.data(), bytes.size(), packed.data(), packed.size());
  if (ZSTD_isError(got) != 0 || got != size) return NotPacked();
  return bytes;
}

}  // namespace

float RoundToShort(float value) {
  constexpr uint32_t kDropped = 15;  // of 24 significant bits
  const auto bits = std::bit_cast<uint32_t>(value);
  if (!std::isfinite(value)) return value;
  const uint32_t half = (1U << (kDropped - 1)) - 1 + (bits >> kDropped & 1);  // ties to even
  return std::bit_cast<float>((bits + half) >> kDropped << kDropped);
}

std::string PackValues(std::span<const float> values) {
  DL_CHECK(values.size() <= kMaxPackedValues);
  std::string bitmap(Planes::BitmapBytes(values.size()), '\0');
  std::vector<uint32_t> differences;
  differences.reserve(values.size());
  uint32_t before = 0, all = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!HasValue(values[i])) continue;
    bitmap[i / 8] = static_cast<char>(bitmap[i / 8] | 1 << (i % 8));
    const uint32_t ordered = OrderedBits(values[i]);
    differences.push_back(ordered - before);
    all |= ordered - before;
    before = ordered;
  }
  const int zero_bits = all == 0 ? 0 : std::countr_zero(all);
  std::string bytes(Planes::Bytes(values.size(), differences.size()), '\0');
  char* out = bytes.data();
  for (size_t i = 0; i < Planes::kCountBytes; ++i)
    *out++ = static_cast<char>(values.size() >> (8 * i));
  out = std::copy(bitmap.begin(), bitmap.end(), out);
  *out++ = static_cast<char>(zero_bits);
  const size_t present = differences.size();
  for (size_t i = 0; i < present; ++i) {
    const uint32_t folded = FoldSign(static_cast<int32_t>(differences[i]) >> zero_bits);
    for (size_t plane = 0; plane < 4; ++plane)
      out[plane * present + i] = static_cast<char>(folded >> (8 * plane));
  }
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  const size_t size =
      ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), kCompressionLevel);
  DL_CHECK(ZSTD_isError(size) == 0);
  packed.resize(size);
  return packed;
}

StatusOr<std::vector<float>> UnpackValues(std::string_view packed) {
  DL_ASSIGN_OR_RETURN(const std::string bytes, Decompress(packed));
  if (bytes.size() < Planes::kCountBytes) return NotPacked();
  size_t count = 0;
  for (size_t i = 0; i < Planes::kCountBytes; ++i)
    count |= static_cast<size_t>(static_cast<uint8_t>(bytes[i])) << (8 * i);
  if (count > kMaxPackedValues || bytes.size() < Planes::Bytes(count, 0)) return NotPacked();
  const std::string_view bitmap =
      std::string_view(bytes).substr(Planes::kCountBytes, Planes::BitmapBytes(count));
  size_t present = 0;
  for (size_t i = 0; i < count; ++i) present += IsPresent(bitmap, i) ? 1 : 0;
  if (bytes.size() != Planes::Bytes(count, present)) return NotPacked();
  const char* in = bitmap.data() + bitmap.size();
  const int zero_bits = *in++;
  if (zero_bits < 0 || zero_bits > 31) return NotPacked();

  std::vector<float> values(count, kNoValue);
  uint32_t ordered = 0;
  size_t next = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!IsPresent(bitmap, i)) continue;
    uint32_t folded = 0;
    for (size_t plane = 0; plane < 4; ++plane)
      folded |= static_cast<uint32_t>(static_cast<uint8_t>(in[plane * present + next]))
                << (8 * plane);
    ordered += static_cast<uint32_t>(UnfoldSign(folded)) << zero_bits;
    values[i] = FloatOf(ordered);
    ++next;
  }
  return values;
}

}  // namespace dl::storage
