#include "web/documents/settings_document.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "job/job_keys.h"

namespace dl::web {
namespace {

struct Setting {
  std::string path;
  std::string pattern;  // as in the table of keys: "model.layers[].units"
  Json value;
};

std::string Joined(const std::string& path, const std::string& key) {
  return path.empty() ? key : absl::StrCat(path, ".", key);
}

void Flatten(const std::string& path, const std::string& pattern, const Json& value,
             std::vector<Setting>& settings) {
  if (value.is_object() && !value.empty()) {
    for (const auto& [key, member] : value.items())
      Flatten(Joined(path, key), Joined(pattern, key), member, settings);
    return;
  }
  if (value.is_array() && !value.empty() && value[0].is_object()) {
    for (size_t i = 0; i < value.size(); ++i) {
      const std::string name = value[i].is_object() ? value[i].value("name", "") : "";
      Flatten(Joined(path, name.empty() ? absl::StrCat(i) : name), absl::StrCat(pattern, "[]"),
              value[i], settings);
    }
    return;
  }
  settings.push_back({path, pattern, value});
}

std::vector<Setting> SettingsOf(const Json& spec) {
  std::vector<Setting> settings;
  Flatten("", "", spec, settings);
  return settings;
}

std::string TextOf(const Json& value) {
  if (!value.is_string()) return value.is_null() ? "none" : JsonText(value);
  const auto& text = value.get_ref<const std::string&>();
  return text.empty() ? "empty" : text;
}

// Returns the built-in values of all keys, as JSON. Keys without one are absent.
const std::multimap<std::string, Json, std::less<>>& BuiltIn() {
  static const auto* const built_in = [] {
    auto* values = new std::multimap<std::string, Json, std::less<>>;
    for (const nn::KeyRow& row : job::Keys()) {
      const StatusOr<Json> value = ParseJson(row.standard, row.path);
      if (value.ok()) values->emplace(row.path, *value);
    }
    return values;
  }();
  return *built_in;
}

bool IsBuiltIn(const Setting& setting) {
  if (setting.value.is_null()) return true;
  const auto [first, last] = BuiltIn().equal_range(setting.pattern);
  return std::any_of(first, last, [&](const auto& row) { return row.second == setting.value; });
}

std::string SectionOf(const std::string& path) {
  const size_t dot = path.find('.');
  return dot == std::string::npos ? "job" : path.substr(0, dot);
}

}  // namespace

Json SettingsDocument(const Json& spec) {
  // In the order in which people think of a job.
  static constexpr std::string_view kOrder[] = {"job", "training", "model", "initial_weights",
                                                "data"};
  std::map<std::string, Json> sections;
  for (const Setting& setting : SettingsOf(spec)) {
    const bool is_default = IsBuiltIn(setting);
    sections[SectionOf(setting.path)].push_back({{"path", setting.path},
                                                 {"value", TextOf(setting.value)},
                                                 {"is_default", is_default},
                                                 {"origin", is_default ? "built-in" : "job"}});
  }
  Json document = Json::array();
  const auto take = [&](const std::string& section) {
    const auto found = sections.find(section);
    if (found == sections.end()) return;
    document.push_back({{"section", section}, {"rows", std::move(found->second)}});
    sections.erase(found);
  };
  for (const std::string_view section : kOrder) take(std::string(section));
  while (!sections.empty()) take(std::string(sections.begin()->first));
  return document;
}

Json DifferencesDocument(const std::vector<Json>& specs) {
  std::vector<std::string> paths;  // in the order of the specs
  std::set<std::string> known;
  std::vector<std::map<std::string, std::string>> values;
  for (const Json& spec : specs) {
    values.emplace_back();
    for (const Setting& setting : SettingsOf(spec)) {
      values.back()[setting.path] = TextOf(setting.value);
      if (known.insert(setting.path).second) paths.push_back(setting.path);
    }
  }
  Json settings = Json::array();
  int64_t same = 0;
  for (const std::string& path : paths) {
    Json texts = Json::array();
    for (const auto& of_spec : values) {
      const auto found = of_spec.find(path);
      texts.push_back(found == of_spec.end() ? "–" : found->second);
    }
    if (std::ranges::all_of(texts, [&](const Json& text) { return text == texts[0]; })) {
      ++same;
    } else {
      settings.push_back({{"path", path}, {"values", std::move(texts)}});
    }
  }
  return {{"settings", std::move(settings)}, {"same", same}};
}

}  // namespace dl::web
