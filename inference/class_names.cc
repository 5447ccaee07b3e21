#include "inference/class_names.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace dl::inference {
namespace {

constexpr int64_t kBytes = 256;

// Returns whether the classes are bytes, named by two hexadecimal digits (text_tokens.h).
bool AreBytes(const std::vector<std::string>& names) {
  if (std::ssize(names) < kBytes) return false;
  for (int64_t byte = 0; byte < kBytes; ++byte)
    if (names[byte] != absl::StrFormat("%02x", byte)) return false;
  return true;
}

std::string NameOfByte(int64_t byte) {
  if (byte > ' ' && byte <= '~') return std::string(1, static_cast<char>(byte));
  return byte == ' ' ? "space" : absl::StrFormat("0x%02x", byte);
}

}  // namespace

std::vector<std::string> ClassNamesAt(const dataset::Schema& schema, int64_t label) {
  std::vector<std::string> names = schema.ClassNamesAt(label);
  if (!AreBytes(names)) return names;
  for (int64_t byte = 0; byte < kBytes; ++byte) names[byte] = NameOfByte(byte);
  return names;
}

std::string ClassNameOf(const std::vector<std::string>& names, int64_t number) {
  return number < std::ssize(names) ? names[number] : absl::StrCat(number);
}

}  // namespace dl::inference
