// Numbers of variable length: seven bits in each byte, the lowest first. The highest bit of a byte
// means that another byte follows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dl {

// Appends a number. A negative number is written as 0.
inline void AppendVarint(std::string& bytes, int64_t number) {
  auto left = static_cast<uint64_t>(std::max<int64_t>(number, 0));
  for (; left >= 0x80; left >>= 7) bytes.push_back(static_cast<char>(left | 0x80));
  bytes.push_back(static_cast<char>(left));
}

// Reads what AppendVarint wrote. After an error, no bytes are left and every number is nullopt.
class VarintReader {
 public:
  // `bytes` must outlive the reader.
  explicit VarintReader(std::string_view bytes) : bytes_(bytes) {}

  // Returns the next number, or nullopt if it is missing or not below `limit`.
  std::optional<int64_t> Next(int64_t limit) {
    uint64_t number = 0;
    for (int shift = 0; shift < 63 && !bytes_.empty(); shift += 7) {
      const auto byte = static_cast<uint8_t>(bytes_.front());
      bytes_.remove_prefix(1);
      number |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) != 0) continue;
      if (static_cast<int64_t>(number) < limit) return static_cast<int64_t>(number);
      break;
    }
    bytes_ = {};
    return std::nullopt;
  }
  // Returns the next `size` bytes as they are, or nullopt if there are fewer.
  std::optional<std::string_view> NextText(size_t size) {
    if (size > bytes_.size()) {
      bytes_ = {};
      return std::nullopt;
    }
    const std::string_view text = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return text;
  }
  size_t left() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
};

}  // namespace dl
