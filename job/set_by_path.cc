#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/document_version.h"
#include "base/json.h"
#include "base/suggest.h"
#include "job/job_keys.h"
#include "job/job_spec.h"
#include "job/key_text.h"
#include "nn/conf/layers/layer_registry.h"
#include "nn/conf/model_json.h"

namespace dl::job {
namespace {

constexpr size_t kLongestPath = 300;

bool IsIndex(const std::string& part) {
  return !part.empty() && part.size() <= 9 &&
         part.find_first_not_of("0123456789") == std::string::npos;
}

// Splits "model.layers[2].units" or "model.layers.2.units" into {"model", "layers", "2", "units"}.
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

// Returns the first `count` parts of a path in the notation of the table, for example
// "model.layers[]".
std::string PatternOf(const std::vector<std::string>& parts, size_t count) {
  std::string pattern;
  for (size_t i = 0; i < count; ++i) {
    if (IsIndex(parts[i])) {
      pattern += "[]";
    } else {
      absl::StrAppend(&pattern, pattern.empty() ? "" : ".", parts[i]);
    }
  }
  return pattern;
}

const nn::KeyRow* Row(std::string_view pattern) {
  for (const nn::KeyRow& key : Keys()) {
    if (key.path == pattern) return &key;
  }
  return nullptr;
}

bool IsList(const nn::KeyRow& key) {
  return key.type == KeyType::kIntegerList || key.type == KeyType::kNumberList ||
         key.type == KeyType::kStringList || key.type == KeyType::kStringOrList ||
         key.type == KeyType::kColumns || key.type == KeyType::kObjectList;
}

// Returns whether both paths end with the same `count` parts.
bool EndAlike(std::string_view a, std::string_view b, size_t count) {
  const std::vector<std::string> of_a = absl::StrSplit(std::string(a), '.');
  const std::vector<std::string> of_b = absl::StrSplit(std::string(b), '.');
  if (of_a.size() < count || of_b.size() < count) return false;
  return std::equal(of_a.end() - static_cast<std::ptrdiff_t>(count), of_a.end(),
                    of_b.end() - static_cast<std::ptrdiff_t>(count));
}

// Returns "; did you mean ...?" with the keys that the path may mean: a key with almost the same
// spelling, otherwise keys with the same name in another object.
std::string KeysMeant(const std::string& pattern, const std::vector<std::string>& known) {
  constexpr size_t kTypingError = 2, kMaxNamed = 3;
  const std::string nearest = Nearest(pattern, known);
  if (!nearest.empty() && EditDistance(pattern, nearest) <= kTypingError)
    return DidYouMean(pattern, known);
  for (const size_t parts : {2, 1}) {
    std::vector<std::string> meant;
    for (const std::string& key : known) {
      if (EndAlike(key, pattern, parts) && meant.size() < kMaxNamed)
        meant.push_back(absl::StrCat("\"", key, "\""));
    }
    if (!meant.empty()) return absl::StrCat("; did you mean ", absl::StrJoin(meant, " or "), "?");
  }
  return DidYouMean(pattern, known);
}

// Returns the key that a path names. A path may also name an entry of a list.
StatusOr<nn::KeyRow> FindKey(std::string_view path) {
  const std::string shown(path.substr(0, kLongestPath));
  std::string pattern;
  if (path.size() <= kLongestPath) {
    const std::vector<std::string> parts = SplitPath(path);
    pattern = PatternOf(parts, parts.size());
    if (const nn::KeyRow* key = Row(pattern)) return *key;
    if (pattern.ends_with("[]")) {
      const nn::KeyRow* list = Row(std::string_view(pattern).substr(0, pattern.size() - 2));
      if (list != nullptr && IsList(*list)) return EntryOf(*list);
    }
  }
  std::vector<std::string> known;
  for (const nn::KeyRow& key : Keys()) known.emplace_back(key.path);
  return InvalidArgument(
      {.message = absl::StrCat("a job spec has no key \"", absl::CHexEscape(shown), "\"",
                               KeysMeant(pattern, known)),
       .remedy = "docs/job-spec.md lists the keys"});
}

Status WrongShape(const std::string& path, std::string_view wanted) {
  return InvalidArgument({.message = absl::StrCat(path.empty() ? "the document" : path, " is not ",
                                                  std::string(wanted)),
                          .remedy = "docs/job-spec.md lists the keys"});
}

// Returns the name of a key within its object: "kernel" for "model.layers[].kernel".
std::string NameIn(const nn::KeyRow& key) {
  return std::string(key.path.substr(key.path.rfind('.') + 1));
}

// Returns the value that an absent key stands for, if a path continues inside it. `object` is the
// object that lacks the key.
StatusOr<Json> Default(const nn::KeyRow& key, const Json& object, const std::string& path) {
  if (key.path == "model.updater.learning_rate") {  // depends on the type
    for (const nn::UpdaterType& type : nn::UpdaterTypes()) {
      if (object.value("type", "") == type.tag)
        return nn::ToJson(LearningRateOf(type.make_default()));
    }
  }
  if (key.type == KeyType::kObject) {
    return key.standard.starts_with("{") ? Json::parse(key.standard) : Json::object();
  }
  if (key.standard.starts_with("[")) return Json::parse(key.standard);
  if (key.type == KeyType::kIntegerList) {  // a layer's list depends on its type and its other keys
    std::vector<std::string> mistakes;
    if (auto layer = nn::LayerFromJson(object, path, mistakes)) {
      const Json written = nn::ToJson(*layer);
      if (auto found = written.find(NameIn(key)); found != written.end()) return *found;
    }
  }
  return InvalidArgument({.message = absl::StrCat("the document does not state ", path),
                          .remedy = "Set the whole list"});
}

// Returns the key "type" of an object; "" if it has none that is a text.
std::string TypeIn(const Json& object) {
  const auto type = object.find("type");
  return type != object.end() && type->is_string() ? type->get<std::string>() : "";
}

// Returns the number of entries that layers of the type write for the key; 0 if they write no list.
size_t EntriesOf(const nn::KeyRow& key, const std::string& layer_type) {
  const nn::LayerType* const type = nn::FindLayerType(layer_type);
  if (type == nullptr) return 0;
  const Json written = nn::ToJson(type->make_default());
  const auto found = written.find(NameIn(key));
  return found != written.end() && found->is_array() ? found->size() : 0;
}

// Writes out short forms if a path continues inside them: a number or string that stands for an
// object or a list, or a word that stands for an object of that type. `type` is the type of the
// object around `value`. A number that stands for no list remains.
void Expand(const nn::KeyRow& key, const std::string& type, Json& value) {
  if (value.is_null() && key.standard == "null") value = Json::object();
  if (value.is_string() && key.type == KeyType::kObject) value = Json{{"type", value}};
  if (value.is_string() && key.type == KeyType::kStringOrList) value = Json::array({value});
  if (key.type == KeyType::kColumns && !value.is_array()) value = Json::array({value});
  if (!value.is_number()) return;
  if (key.path == "model.updater.learning_rate") {
    value = Json{{"type", "fixed"}, {"initial", value}};
  } else if (const size_t entries = EntriesOf(key, type); entries > 0) {
    value = Json(entries, value);
  }
}

// Returns the entry `part` of the list `at`, whose path is `path`.
StatusOr<Json*> Entry(Json& at, const std::string& part, const std::string& path) {
  if (at.is_number()) {
    return InvalidArgument({.message = absl::StrCat(path, " is one number, without entries"),
                            .remedy = absl::StrCat("Set ", path, " itself")});
  }
  if (!at.is_array()) return WrongShape(path, "a list");
  size_t index = 0;
  if (absl::SimpleAtoi(part, &index) && index < at.size()) return &at[index];
  return InvalidArgument(
      {.message = absl::StrCat(path, " has no entry ", part, ": it has ", at.size(),
                               at.size() == 1 ? " entry" : " entries"),
       .remedy = at.empty() ? "Set the whole list"
                            : absl::StrCat("Count from 0: from 0 to ", at.size() - 1)});
}

// Drops the members of `object` that only other types have.
void DropForeignKeys(Json& object, const std::string& prefix, const std::string& type) {
  for (const nn::KeyRow& key : Keys()) {
    const std::string path(key.path);
    if (key.only_for.empty() || !path.starts_with(prefix)) continue;
    const std::string member = path.substr(prefix.size());
    if (member.find('.') == std::string::npos && !IsAmong(key.only_for, type)) object.erase(member);
  }
}

// Returns the value that the key takes from a text. Rejects another document version, because keys
// are those of the current version, and documents are converted to it before they are changed.
StatusOr<Json> ValueFor(const nn::KeyRow& key, std::string_view text) {
  DL_ASSIGN_OR_RETURN(Json value, ValueFromText(key, text));
  for (const auto& [path, kind] :
       {std::pair("format", &kJobDocument), std::pair("model.format", &nn::kModelDocument)}) {
    if (key.path != path || value == kind->version()) continue;
    return InvalidArgument(
        {.message = absl::StrCat(path, " states how the ", std::string(kind->name()),
                                 " is written, but other settings use version ", kind->version(),
                                 " of it"),
         .remedy = "Leave it out: older documents are converted before settings are applied"});
  }
  return value;
}

}  // namespace

StatusOr<std::string> SettingText(std::string_view path, const Json& value) {
  DL_ASSIGN_OR_RETURN(const nn::KeyRow key, FindKey(path));
  if (value.is_null() && key.standard != "null") {
    return InvalidArgument(
        {.message = "null is no value of this key",
         .remedy = "Leave the key out to keep its value, or give its default; docs/job-spec.md "
                   "lists the defaults"});
  }
  return value.is_string() ? value.get<std::string>() : JsonText(value);
}

Status CheckSetting(std::string_view path, std::string_view text) {
  DL_ASSIGN_OR_RETURN(const nn::KeyRow key, FindKey(path));
  return ValueFor(key, text).status();
}

Status SetByPath(Json& document, std::string_view path, std::string_view text) {
  DL_ASSIGN_OR_RETURN(const nn::KeyRow key, FindKey(path));
  DL_ASSIGN_OR_RETURN(Json value, ValueFor(key, text));
  const std::vector<std::string> parts = SplitPath(path);
  const auto path_of = [&](size_t count) {
    return absl::StrJoin(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(count), ".");
  };

  DL_ASSIGN_OR_RETURN(const CurrentDocument current, CurrentJob(document));
  Json changed = current.json();
  Json* at = &changed;
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    if (IsIndex(parts[i])) {
      DL_ASSIGN_OR_RETURN(at, Entry(*at, parts[i], path_of(i)));
      if (at->is_string()) *at = Json{{"type", *at}};
      continue;
    }
    if (!at->is_object()) return WrongShape(path_of(i), "an object");
    const nn::KeyRow* row = Row(PatternOf(parts, i + 1));
    DL_CHECK(row != nullptr);  // the table has every object and list around a key
    if (!at->contains(parts[i])) {
      DL_ASSIGN_OR_RETURN((*at)[parts[i]], Default(*row, *at, path_of(i + 1)));
    }
    const std::string type = TypeIn(*at);
    at = &(*at)[parts[i]];
    Expand(*row, type, *at);
  }

  const std::string around = path_of(parts.size() - 1);
  if (IsIndex(parts.back())) {
    DL_ASSIGN_OR_RETURN(Json * entry, Entry(*at, parts.back(), around));
    *entry = std::move(value);
  } else {
    if (!at->is_object()) return WrongShape(around, "an object");
    if ((parts.back() == "type" || parts.back() == "format") && value.is_string()) {
      const std::string pattern = PatternOf(parts, parts.size());
      DropForeignKeys(*at, pattern.substr(0, pattern.size() - parts.back().size()),
                      value.get<std::string>());
    }
    (*at)[parts.back()] = std::move(value);
  }
  document = std::move(changed);
  return absl::OkStatus();
}

}  // namespace dl::job
