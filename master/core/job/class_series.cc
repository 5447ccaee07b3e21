#include "master/core/job/class_series.h"

#include <set>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "base/utf8.h"

namespace dl::master {
namespace {

std::string LabelOf(const std::string& name) {
  constexpr size_t kMostBytes = 60;
  std::string label(Utf8Prefix(name, kMostBytes));
  for (char& c : label) {
    const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    if (is_control || c == ',' || c == '*' || c == '/') c = '_';
  }
  return label;
}

}  // namespace

std::vector<std::string> ClassSeriesNames(const std::vector<std::string>& names, int64_t classes) {
  std::vector<std::string> labels;
  if (classes > kMostClassesInSeries) return labels;
  std::set<std::string> taken;
  for (int64_t i = 0; i < classes; ++i) {
    const auto index = static_cast<size_t>(i);
    std::string label = index < names.size() ? LabelOf(names[index]) : std::string();
    if (label.empty()) label = absl::StrCat(i);
    const std::string name = label;
    for (int64_t number = i; !taken.insert(label).second; ++number)
      label = absl::StrCat(name, "#", number);
    labels.push_back(std::move(label));
  }
  return labels;
}

}  // namespace dl::master
