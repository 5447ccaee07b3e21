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
#include "nn/conf/layers/layer_registry.h"
#include "nn/conf/updaters/updater_registry.h"

namespace dl::web {
namespace {

// An object whose defaults depend on its type and its other keys: a layer or an updater.
struct TypedObject {
  const Json* json = nullptr;
  std::string path;
  // Returns the object with all keys. Null if the object lacks a key that is required.
  Json (*complete)(const Json& object) = nullptr;
};

struct Setting {
  std::string path;
  std::string pattern;  // as in the table of keys: "model.layers[].units"
  Json value;
  TypedObject within;  // `json` is null if no such object encloses the setting
};

Json CompleteLayer(const Json& layer) {
  std::vector<std::string> mistakes;
  const auto read = nn::LayerFromJson(layer, "", mistakes);
  return read ? nn::ToJson(*read) : Json();
}

Json CompleteUpdater(const Json& updater) {
  for (const nn::UpdaterType& type : nn::UpdaterTypes()) {
    if (updater.value("type", "") != type.tag) continue;
    Json complete = nn::ToJson(type.make_default());
    complete.update(updater);
    return complete;
  }
  return Json();
}

std::string Joined(const std::string& path, const std::string& key) {
  return path.empty() ? key : absl::StrCat(path, ".", key);
}

void Flatten(const std::string& path, const std::string& pattern, const Json& value,
             TypedObject within, std::vector<Setting>& settings) {
  if (value.is_object() && !value.empty()) {
    if (pattern == "model.layers[]") within = {&value, path, CompleteLayer};
    if (pattern == "model.updater") within = {&value, path, CompleteUpdater};
    for (const auto& [key, member] : value.items())
      Flatten(Joined(path, key), Joined(pattern, key), member, within, settings);
    return;
  }
  if (value.is_array() && !value.empty() && value[0].is_object()) {
    for (size_t i = 0; i < value.size(); ++i) {
      const std::string name = value[i].is_object() ? value[i].value("name", "") : "";
      Flatten(Joined(path, name.empty() ? absl::StrCat(i) : name), absl::StrCat(pattern, "[]"),
              value[i], within, settings);
    }
    return;
  }
  settings.push_back({path, pattern, value, std::move(within)});
}

std::vector<Setting> SettingsOf(const Json& spec) {
  std::vector<Setting> settings;
  Flatten("", "", spec, {}, settings);
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

std::string TypeIn(const Json& value) { return value.is_object() ? value.value("type", "") : ""; }

// Returns true if the layer or updater of the setting has the same value without its key, or
// without an object around the key. For example, the default stride of max_pool2d is its kernel.
bool IsDefaultOfType(const Setting& setting) {
  const Json* const object = setting.within.json;
  if (object == nullptr) return false;
  std::string pointer = setting.path.substr(setting.within.path.size());  // ".activation.type"
  std::ranges::replace(pointer, '.', '/');
  const Json::json_pointer value(pointer);
  for (Json::json_pointer removed = value; !removed.empty(); removed = removed.parent_pointer()) {
    Json without = *object;
    const Json::json_pointer around = removed.parent_pointer();
    if (!without.contains(around) || !without[around].is_object()) return false;
    without[around].erase(removed.back());
    const Json complete = setting.within.complete(without);
    if (complete.contains(value) && complete[value] == setting.value &&
        TypeIn(complete[removed]) == TypeIn((*object)[removed])) {
      return true;
    }
  }
  return false;
}

bool HasBuiltIn(std::string_view pattern, const Json& value) {
  const auto [first, last] = BuiltIn().equal_range(pattern);
  return std::any_of(first, last, [&](const auto& row) { return row.second == value; });
}

// Returns true if an object around the setting has this value by default. For example, the default
// of training.strategy is {"type":"average"}.
bool IsInDefaultObject(const Setting& setting) {
  Json value = setting.value;
  std::string_view pattern = setting.pattern;
  for (size_t dot = pattern.rfind('.'); dot != std::string_view::npos; dot = pattern.rfind('.')) {
    value = Json{{std::string(pattern.substr(dot + 1)), std::move(value)}};
    pattern = pattern.substr(0, dot);
    if (HasBuiltIn(pattern, value)) return true;
  }
  return false;
}

bool IsBuiltIn(const Setting& setting) {
  if (setting.value.is_null() || HasBuiltIn(setting.pattern, setting.value)) return true;
  // The defaults in a layer and in an updater depend on its type.
  return setting.within.json == nullptr ? IsInDefaultObject(setting) : IsDefaultOfType(setting);
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
