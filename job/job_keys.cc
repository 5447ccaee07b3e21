#include "job/job_keys.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/json.h"
#include "job/layer_groups.h"

namespace dl::job {
namespace {

using enum KeyType;

std::string_view TypeWord(KeyType type) {
  switch (type) {
    case kInteger:
      return "integer";
    case kNumber:
      return "number";
    case kBool:
      return "boolean";
    case kString:
      return "string";
    case kChoice:
      return "string";
    case kStringOrInteger:
      return "string or integer";
    case kStringOrList:
      return "string or list of strings";
    case kColumns:
      return "list of strings and integers";
    case kIntegerList:
      return "list of integers";
    case kNumberList:
      return "list of numbers";
    case kStringList:
      return "list of strings";
    case kObject:
      return "object";
    case kObjectList:
      return "list of objects";
  }
  return "unknown";
}

// Returns whole numbers in full, and other numbers as JSON writes them.
std::string NumberText(double value) {
  if (value == 18446744073709551615.0) return "18446744073709551615";
  if (value == static_cast<double>(static_cast<int64_t>(value)) && value < 1e18 && value > -1e18) {
    return absl::StrCat(static_cast<int64_t>(value));
  }
  return Json(value).dump();
}

std::string RangeText(const nn::KeyRow& key) {
  if (key.path == "model.layers[].type") return "a [layer type](#layer-types)";
  if (!key.choices.empty()) {
    const std::string words = absl::StrReplaceAll(
        key.choices.starts_with("|") ? absl::StrCat("\"\"", std::string(key.choices))
                                     : std::string(key.choices),
        {{"|", "`, `"}});
    // Lists of numbers whose key also accepts a word.
    const std::string range = key.type == KeyType::kIntegerList || key.type == KeyType::kNumberList
                                  ? NumberRange(key) + ", "
                                  : "";
    return absl::StrCat(range, "`", words, "`");
  }
  return NumberRange(key);
}

}  // namespace

std::string NumberRange(const nn::KeyRow& key) {
  if (key.min >= key.max && key.type != kInteger) return "";
  return absl::StrCat(NumberText(key.min), " to ", NumberText(key.max));
}

std::string MarkdownRow(const nn::KeyRow& key) {
  std::string standard = key.standard.empty()  ? "required"
                         : key.standard == "-" ? "see meaning"
                                               : absl::StrCat("`", std::string(key.standard), "`");
  std::string meaning(key.meaning);
  if (!key.only_for.empty()) {
    meaning = absl::StrCat("(", ListLayerTypes(key.only_for), ") ", meaning);
  }
  std::string row = "|";
  for (const std::string& cell :
       {absl::StrCat("`", std::string(key.path), "`"), std::string(TypeWord(key.type)), standard,
        std::string(key.unit), RangeText(key), meaning}) {
    absl::StrAppend(&row, cell.empty() ? " " : absl::StrCat(" ", cell, " "), "|");
  }
  return row;
}

}  // namespace dl::job
