#include "job/spec_schema.h"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/json.h"
#include "job/job_keys.h"
#include "job/key_text.h"

namespace dl::job {
namespace {

using enum KeyType;

constexpr char kDialect[] = "https://json-schema.org/draft/2020-12/schema";

std::string LastPart(const nn::KeyRow& key) { return key.path.substr(key.path.rfind('.') + 1); }

std::vector<std::string> SplitWords(std::string_view words) {
  return absl::StrSplit(std::string(words), '|');
}

Json WholeNumber(double value) {
  // The largest uint64_t is no double.
  constexpr auto kMost = std::numeric_limits<uint64_t>::max();
  if (value >= static_cast<double>(kMost)) return kMost;
  return static_cast<int64_t>(value);
}

Json AnyOf(std::vector<Json> schemas) {
  if (schemas.size() == 1) return std::move(schemas.front());
  return {{"anyOf", std::move(schemas)}};
}

Json Number(const nn::KeyRow& key) {
  const bool is_whole = key.type != kNumber && key.type != kNumberList;
  Json schema = {{"type", is_whole ? "integer" : "number"}};
  if (NumberRange(key).empty()) return schema;
  schema["minimum"] = is_whole ? WholeNumber(key.min) : Json(key.min);
  schema["maximum"] = is_whole ? WholeNumber(key.max) : Json(key.max);
  return schema;
}

Json ListOf(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }

// Makes a schema for each object of the table, as a definition.
class SchemaOfKeys {
 public:
  Json Make() {
    Json schema = Object("", nullptr, "");
    schema["$schema"] = kDialect;
    schema["title"] = "Job spec";
    schema["description"] = "A job of Paravane, as dl-submit run and submit read it.";
    schema["$defs"] = std::move(definitions_);
    return schema;
  }

 private:
  // Returns the keys of the object at `path`, which is "" for the document.
  static std::vector<const nn::KeyRow*> KeysOf(const std::string& path) {
    const std::string prefix = path.empty() ? "" : path + ".";
    std::vector<const nn::KeyRow*> keys;
    for (const nn::KeyRow& key : Keys()) {
      if (key.path.starts_with(prefix) && key.path.find('.', prefix.size()) == std::string::npos)
        keys.push_back(&key);
    }
    return keys;
  }

  // Returns the key that decides which other keys the object has; null if there is none.
  static const nn::KeyRow* TypeKeyOf(const std::string& path) {
    for (const nn::KeyRow* key : KeysOf(path)) {
      const std::string name = LastPart(*key);
      if (key->type == kChoice && (name == "type" || name == "format")) return key;
    }
    return nullptr;
  }

  // Returns the schema of the object at `path`. `type_key` is null, or the type is `tag`.
  Json Object(const std::string& path, const nn::KeyRow* type_key, const std::string& tag) {
    Json properties = Json::object(), required = Json::array();
    for (const nn::KeyRow* key : KeysOf(path)) {
      if (!key->only_for.empty() && !IsAmong(key->only_for, tag)) continue;
      const std::string name = LastPart(*key);
      properties[name] = key == type_key ? Json{{"const", tag}} : Described(*key);
      if (key == type_key) properties[name]["description"] = std::string(key->meaning);
      if (key->standard.empty()) required.push_back(name);
    }
    Json schema = {
        {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
    if (type_key != nullptr && LastPart(*type_key) == "format") AcceptAlias(schema, required);
    if (!required.empty()) schema["required"] = std::move(required);
    return schema;
  }

  // A dataset names its files by `path` or `paths`, whichever its format has.
  static void AcceptAlias(Json& schema, Json& required) {
    Json& properties = schema["properties"];
    for (const auto& [own, alias] : {std::pair("path", "paths"), std::pair("paths", "path")}) {
      if (!properties.contains(own) || properties.contains(alias)) continue;
      Json files = AnyOf({Json{{"type", "string"}}, ListOf({{"type", "string"}})});
      files["description"] = properties[own]["description"];
      properties[own] = files;
      properties[alias] = std::move(files);
      std::erase(required.get_ref<Json::array_t&>(), Json(own));
      schema["anyOf"] = Json::array(
          {Json{{"required", Json::array({own})}}, Json{{"required", Json::array({alias})}}});
      return;
    }
  }

  // Returns a reference to the definition of the object at `path`, which it adds.
  Json Reference(const std::string& path) {
    const std::string name = absl::StrReplaceAll(path, {{"[]", ""}});
    Json reference = {{"$ref", absl::StrCat("#/$defs/", name)}};
    if (definitions_.contains(name)) return reference;
    const nn::KeyRow* const type_key = TypeKeyOf(path);
    if (type_key == nullptr) {
      definitions_[name] = Object(path, nullptr, "");
      return reference;
    }
    definitions_[name] = Json::object();
    std::vector<Json> forms;
    Json words = Json::array();
    for (const std::string& tag : SplitWords(type_key->choices)) {
      // A type may have the name of a key, such as "activation".
      const std::string of_type = absl::StrCat(name, ":", tag);
      Json object = Object(path, type_key, tag);
      // The type alone stands for an object whose other keys have their defaults.
      if (object["required"].size() == 1 && LastPart(*type_key) == "type") words.push_back(tag);
      forms.push_back({{"$ref", absl::StrCat("#/$defs/", of_type)}});
      definitions_[of_type] = std::move(object);
    }
    if (!words.empty()) forms.push_back({{"enum", std::move(words)}});
    // A number stands for a constant rate.
    for (const nn::KeyRow* key : KeysOf(path)) {
      if (path.ends_with("learning_rate") && LastPart(*key) == "initial")
        forms.push_back(Number(*key));
    }
    definitions_[name] = AnyOf(std::move(forms));
    return reference;
  }

  Json Described(const nn::KeyRow& key) {
    Json schema = Value(key);
    schema["description"] =
        key.unit.empty() ? std::string(key.meaning)
                         : absl::StrCat(std::string(key.meaning), " [", std::string(key.unit), "]");
    if (!key.standard.empty() && key.standard != "-") schema["default"] = Json::parse(key.standard);
    return schema;
  }

  Json Value(const nn::KeyRow& key) {
    const Json text = {{"type", "string"}};
    std::vector<Json> forms;
    switch (key.type) {
      case kInteger:
        if (key.choices.empty()) {
          forms = {Number(key)};
        } else {
          Json numbers = Json::array();
          for (const std::string& word : SplitWords(key.choices))
            numbers.push_back(Json::parse(word));
          forms = {Json{{"enum", std::move(numbers)}}};
        }
        break;
      case kNumber:
        forms = {Number(key)};
        break;
      case kBool:
        forms = {Json{{"type", "boolean"}}};
        break;
      case kString:
        forms = {text};
        break;
      case kChoice:
        forms = {Json{{"enum", SplitWords(key.choices)}}};
        break;
      case kStringOrInteger:
        forms = {text, Number(key)};
        break;
      case kStringOrList:
        forms = {text, ListOf(text)};
        break;
      case kStringList:
        forms = {ListOf(text)};
        break;
      case kColumns:
        forms = {text, Number(key), ListOf(AnyOf({text, Number(key)}))};
        break;
      case kIntegerList:
      case kNumberList:
        forms = {ListOf(Number(key))};
        if (!key.choices.empty()) forms.push_back({{"enum", SplitWords(key.choices)}});
        // A single number applies to all axes of a window.
        if (key.type == kIntegerList && key.path.starts_with("model.layers[]."))
          forms.push_back(Number(key));
        break;
      case kObject:
        forms = {Reference(key.path)};
        break;
      case kObjectList:
        forms = {ListOf(Reference(key.path + "[]"))};
        break;
    }
    if (key.standard == "null") forms.push_back({{"type", "null"}});
    return AnyOf(std::move(forms));
  }

  Json definitions_ = Json::object();
};

}  // namespace

Json SpecSchema() { return SchemaOfKeys().Make(); }

}  // namespace dl::job
