#include "nn/conf/field.h"

#include <algorithm>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "base/utf8.h"

namespace dl::nn {
namespace {

void CheckChoice(const Field& field, const std::string& value, Mistakes& mistakes) {
  std::string choices;
  for (const std::string_view choice : field.choices) {
    if (value == choice) return;
    absl::StrAppend(&choices, choices.empty() ? "\"" : "\", \"", std::string(choice));
  }
  constexpr size_t kLongestText = 40;
  mistakes.Add(absl::StrCat(std::string(field.what), " cannot be \"",
                            absl::CHexEscape(value.substr(0, kLongestText)), "\""),
               absl::StrCat("Use one of ", choices, "\""));
}

void CheckNumberChoice(const Field& field, const std::string& value, Mistakes& mistakes) {
  if (std::ranges::find(field.choices, value) != field.choices.end()) return;
  mistakes.Add(
      absl::StrCat(std::string(field.what), " cannot be ", value),
      absl::StrCat("Use one of ", absl::StrJoin(std::vector<std::string>(field.choices.begin(),
                                                                         field.choices.end()),
                                                ", ")));
}

}  // namespace

void ReadValue(JsonObjectReader& reader, std::string_view key, double& out) {
  reader.Double(key, out);
}
void ReadValue(JsonObjectReader& reader, std::string_view key, int64_t& out) {
  reader.Int(key, out);
}
void ReadValue(JsonObjectReader& reader, std::string_view key, uint64_t& out) {
  reader.U64(key, out);
}
void ReadValue(JsonObjectReader& reader, std::string_view key, bool& out) { reader.Bool(key, out); }
void ReadValue(JsonObjectReader& reader, std::string_view key, std::string& out) {
  reader.String(key, out);
}
void ReadValue(JsonObjectReader& reader, std::string_view key, std::vector<std::string>& out) {
  reader.StringList(key, out);
}
void ReadValue(JsonObjectReader& reader, std::string_view key, std::vector<int64_t>& out) {
  reader.IntList(key, out);
}
void ReadValue(JsonObjectReader& reader, std::string_view key, std::vector<double>& out) {
  const Json* json = reader.Child(key);
  if (json == nullptr) return;
  std::vector<double> list;
  if (json->is_array()) {
    for (const Json& item : *json) {
      if (item.is_number()) list.push_back(item.get<double>());
    }
  }
  if (!json->is_array() || list.size() != json->size()) {
    reader.AddError(key, "must be a list of numbers");
    return;
  }
  out = std::move(list);
}

Json ToJson(double value) { return value; }
Json ToJson(int64_t value) { return value; }
Json ToJson(uint64_t value) { return value; }
Json ToJson(bool value) { return value; }
Json ToJson(const std::string& value) { return value; }
Json ToJson(const std::vector<std::string>& value) { return value; }
Json ToJson(const std::vector<int64_t>& value) { return value; }
Json ToJson(const std::vector<double>& value) { return value; }

void CheckValue(const Field& field, double value, Mistakes& mistakes) {
  mistakes.Range(field.what, value, field.min, field.max);
}
void CheckValue(const Field& field, int64_t value, Mistakes& mistakes) {
  if (!field.choices.empty()) return CheckNumberChoice(field, absl::StrCat(value), mistakes);
  mistakes.Range(field.what, value, static_cast<int64_t>(field.min),
                 static_cast<int64_t>(field.max));
}
void CheckValue(const Field& field, const std::string& value, Mistakes& mistakes) {
  if (!field.choices.empty()) return CheckChoice(field, value, mistakes);
  const std::string what(field.what);
  if (value.empty()) {
    mistakes.Add(what + " is empty", "Give a text that is not empty");
  } else if (static_cast<double>(value.size()) > field.max) {
    mistakes.Add(absl::StrCat(what, " has ", value.size(), " bytes"),
                 absl::StrCat("Use at most ", static_cast<int64_t>(field.max)));
  } else if (!IsUtf8(value) || value.find('\0') != std::string::npos) {
    mistakes.Add(what + " is not valid UTF-8 text", "Give it another name");
  }
}
void CheckValue(const Field& field, const std::vector<double>& value, Mistakes& mistakes) {
  for (const double entry : value) CheckValue(field, entry, mistakes);
}
void CheckValue(const Field& field, const std::vector<std::string>& value, Mistakes& mistakes) {
  for (const std::string& entry : value) CheckValue(field, entry, mistakes);
}

}  // namespace dl::nn
