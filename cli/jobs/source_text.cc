#include "cli/jobs/source_text.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace dl::cli {
namespace {

bool NamesFiles(std::string_view key) {
  constexpr std::string_view kKeys[] = {"path",   "paths",   "folder",  "features",
                                        "labels", "lengths", "weights", "weight_table"};
  return std::ranges::find(kKeys, key) != std::end(kKeys);
}

// 0 is unset for every number but the index of the first feature.
bool IsUnset(const std::string& key, const Json& value) {
  if (key == "index_base") return false;
  return value.is_null() || value == false || value == 0 || value == "" ||
         (value.is_structured() && value.empty());
}

std::string ValueText(const Json& value) {
  return value.is_string() ? value.get<std::string>() : JsonText(value);
}

}  // namespace

std::string SourceText(const Json& document) {
  std::vector<std::string> settings;
  for (const auto& [key, value] : document.items()) {
    if (key == "format" || NamesFiles(key) || IsUnset(key, value)) continue;
    settings.push_back(absl::StrCat(key, " ", ValueText(value)));
  }
  const std::string format = document.value("format", "");
  return settings.empty() ? format : absl::StrCat(format, " with ", absl::StrJoin(settings, ", "));
}

}  // namespace dl::cli
