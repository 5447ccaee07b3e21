// Checksums. XXH3-64 detects accidental damage; SHA-256 names content (states, datasets, blocks).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace dl {

static_assert(std::endian::native == std::endian::little, "formats are little-endian as stored");

// XXH3-64 with seed 0.
uint64_t Xxh3(std::span<const std::byte> bytes);
// Returns the checksum of the concatenation of the pieces.
uint64_t Xxh3(std::span<const std::span<const std::byte>> pieces);
inline uint64_t Xxh3(std::string_view text) { return Xxh3(std::as_bytes(std::span(text))); }

// Incremental SHA-256. Not thread-safe.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  // Appends to the content that is hashed. Must not be called after Finish or HexDigest.
  void Update(std::span<const std::byte> bytes);
  void Update(std::string_view text) { Update(std::as_bytes(std::span(text))); }
  // Hash the value as 4 or 8 bytes, little-endian.
  void UpdateU32(uint32_t value) { Update(std::as_bytes(std::span(&value, 1))); }
  void UpdateU64(uint64_t value) { Update(std::as_bytes(std::span(&value, 1))); }
  // Either Finish or HexDigest may be called, once.
  using Digest = std::array<std::byte, 32>;
  Digest Finish();
  std::string HexDigest();  // 64 lower-case hex digits

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Returns 64 lower-case hex digits.
std::string Sha256Hex(std::span<const std::byte> bytes);
inline std::string Sha256Hex(std::string_view text) {
  return Sha256Hex(std::as_bytes(std::span(text)));
}

// Returns HMAC-SHA-256 (RFC 2104), which cannot be computed without the key.
Sha256::Digest HmacSha256(std::span<const std::byte> key, std::string_view text);

std::string HexU64(uint64_t value);  // 16 lower-case hex digits

}  // namespace dl
