#include "base/label.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "base/limits.h"

namespace dl {
namespace {

bool IsPart(std::string_view text) {
  return !text.empty() && static_cast<int64_t>(text.size()) <= limits::kMaxLabelPart &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return absl::ascii_isalnum(c) || c == '.' || c == '_' || c == '-';
         });
}

}  // namespace

bool IsLabel(std::string_view text) {
  const size_t equals = text.find('=');
  return equals != std::string_view::npos && IsPart(text.substr(0, equals)) &&
         IsPart(text.substr(equals + 1));
}

}  // namespace dl
