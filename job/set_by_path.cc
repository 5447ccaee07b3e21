#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/suggest.h"
#include "job/keys.h"

namespace dl::job {
namespace {

constexpr size_t kLongestPath = 300;

bool IsIndex(const std::string& part) {
  return !part.empty() && part.size() <= 9 &&
         part.find_first_not_of("0123456789") == std::string::npos;
}

// "model.layers[2].units" and "model.layers.2.units" -> {"model", "layers", "2", "units"}.
std::vector<std::string> SplitPath(std::string_view path) {
  std::string dotted;
  for (char c : path) {
    if (c == '[') {
      dotted += '.';
    } else if (c != ']') {
      dotted += c;
    }
  }
  return absl::StrSplit(dotted, '.');
}

// {"model", "layers", "2", "units"} -> "model.layers[].units", as in the table.
std::string PatternOf(const std::vector<std::string>& parts) {
  std::string pattern;
  for (const std::string& part : parts) {
    if (IsIndex(part)) {
      pattern += "[]";
    } else {
      absl::StrAppend(&pattern, pattern.empty() ? "" : ".", part);
    }
  }
  return pattern;
}

Status UnknownPath(std::string_view path, const std::string& pattern) {
  std::vector<std::string> known;
  for (const KeyInfo& key : Keys()) known.emplace_back(key.path);
  return InvalidArgument(
      {.message = absl::StrCat("a job spec has no key \"",
                               absl::CHexEscape(std::string(path.substr(0, kLongestPath))), "\"",
                               DidYouMean(pattern, known)),
       .remedy = "docs/job-spec.md lists the keys"});
}

// "one of "", avx2, avx512"
std::string OneOf(std::string_view words) {
  std::vector<std::string> list = absl::StrSplit(std::string(words), '|');
  for (std::string& word : list) {
    if (word.empty()) word = "\"\"";
  }
  return "one of " + absl::StrJoin(list, ", ");
}

bool Allows(std::string_view words, std::string_view word) {
  const std::vector<std::string> list = absl::StrSplit(std::string(words), '|');
  for (const std::string& known : list) {
    if (known == word) return true;
  }
  return false;
}

StatusOr<Json> ParseText(const KeyInfo& key, std::string_view text) {
  const std::string value(text);
  const std::string path(key.path);
  const auto wrong = [&](std::string_view wanted) {
    return InvalidArgument(
        {.message = absl::StrCat("\"", absl::CHexEscape(value.substr(0, kLongestPath)),
                                 "\" is not ", std::string(wanted)),
         .where = path});
  };
  const auto as_json = [&](std::string_view wanted) -> StatusOr<Json> {
    auto json = ParseJson(text, path);
    return json.ok() ? json : wrong(wanted);
  };
  if (value == "null" && key.standard == "null") return Json();
  int64_t integer = 0;
  uint64_t large = 0;
  double number = 0;
  switch (key.type) {
    case KeyType::kInteger:
      if (absl::SimpleAtoi(value, &integer)) return Json(integer);
      if (absl::SimpleAtoi(value, &large)) return Json(large);
      return wrong("a whole number");
    case KeyType::kNumber:
      // "nan" and "inf" parse too, but JSON has no such numbers.
      if (absl::SimpleAtod(value, &number) && number - number == 0) return Json(number);
      return wrong("a number");
    case KeyType::kBool:
      if (value == "true" || value == "false") return Json(value == "true");
      return wrong("true or false");
    case KeyType::kChoice:
      if (Allows(key.choices, value)) return Json(value);
      return wrong(absl::StrCat(OneOf(key.choices),
                                DidYouMean(value, std::vector<std::string>(absl::StrSplit(
                                                      std::string(key.choices), '|')))));
    case KeyType::kStringOrInteger:
      if (absl::SimpleAtoi(value, &integer)) return Json(integer);
      [[fallthrough]];
    case KeyType::kString: {
      // Through the parser, so that bytes that JSON cannot carry are refused here.
      const std::string quoted = Json(value).dump(-1, ' ', false, Json::error_handler_t::replace);
      if (Json::parse(quoted).get<std::string>() != value) return wrong("valid UTF-8");
      return Json(value);
    }
    case KeyType::kIntegerList:
      if (absl::SimpleAtoi(value, &integer)) return Json(integer);  // one number for both axes
      return as_json("a whole number or a list of them, like [2,2]");
    case KeyType::kObject:
      // A schedule may be a plain number; the reader judges where that is allowed.
      return as_json("JSON, like {\"type\":\"...\"}");
    case KeyType::kStringList:
      return as_json("a list, like [\"a\",\"b\"]");
    case KeyType::kObjectList:
      return as_json("a list of objects, like [{\"type\":\"...\"}]");
  }
  return Internal({.message = "a key type without a parser"});
}

// Drops the members of `object` that the table has for other types only.
void DropForeignKeys(Json& object, const std::string& prefix, const std::string& type) {
  for (const KeyInfo& key : Keys()) {
    const std::string path(key.path);
    if (key.only_for.empty() || !path.starts_with(prefix)) continue;
    const std::string member = path.substr(prefix.size());
    if (member.find('.') == std::string::npos && !Allows(key.only_for, type)) object.erase(member);
  }
}

}  // namespace

Status SetByPath(Json& document, std::string_view path, std::string_view text) {
  if (path.size() > kLongestPath) return UnknownPath(path, "");
  const std::vector<std::string> parts = SplitPath(path);
  const std::string pattern = PatternOf(parts);
  const KeyInfo* key = nullptr;
  for (const KeyInfo& known : Keys()) {
    if (known.path == pattern) key = &known;
  }
  if (key == nullptr) return UnknownPath(path, pattern);
  DL_ASSIGN_OR_RETURN(Json value, ParseText(*key, text));

  Json* at = &document;
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    const std::string so_far = absl::StrJoin(parts.begin(), parts.begin() + i + 1, ".");
    if (IsIndex(parts[i])) {
      size_t index = 0;
      if (!at->is_array() || !absl::SimpleAtoi(parts[i], &index) || index >= at->size()) {
        return InvalidArgument(
            {.message = absl::StrCat("the list has ", at->is_array() ? at->size() : 0, " entries"),
             .where = so_far,
             .remedy = "Count from 0"});
      }
      at = &(*at)[index];
      continue;
    }
    if (at->is_null()) *at = Json::object();
    if (!at->is_object()) {
      return InvalidArgument({.message = "is not an object in this document", .where = so_far});
    }
    at = &(*at)[parts[i]];
  }
  if (at->is_null()) *at = Json::object();
  const std::string where = absl::StrJoin(parts.begin(), parts.end() - 1, ".");
  if (IsIndex(parts.back())) return UnknownPath(path, pattern);
  if (!at->is_object())
    return InvalidArgument({.message = "is not an object in this document", .where = where});
  if (parts.back() == "type" || parts.back() == "format") {
    if (value.is_string()) {
      const std::string prefix = pattern.substr(0, pattern.size() - parts.back().size());
      DropForeignKeys(*at, prefix, value.get<std::string>());
    }
  }
  (*at)[parts.back()] = std::move(value);
  return absl::OkStatus();
}

}  // namespace dl::job
