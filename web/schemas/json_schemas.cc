#include "web/schemas/json_schemas.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/json.h"
#include "base/status.h"
#include "web/schemas/document_shape.h"

namespace dl::web {
namespace {

using ShapesByName = std::map<std::string_view, const DocumentShape*>;

const ShapesByName& Shapes() {
  static const ShapesByName shapes = [] {
    ShapesByName by_name;
    for (const auto& all : {JobShapes(), EventShapes(), FigureShapes(), DataShapes(),
                            CommandShapes(), RestShapes()}) {
      for (const DocumentShape& shape : all) DL_CHECK(by_name.emplace(shape.name, &shape).second);
    }
    return by_name;
  }();
  return shapes;
}

const DocumentShape& ShapeOf(std::string_view name) {
  const auto found = Shapes().find(name);
  DL_CHECK(found != Shapes().end());
  return *found->second;
}

const Key& SharedKey(std::string_view name) {
  const auto found = std::ranges::find(SharedKeys(), name, &Key::name);
  DL_CHECK(found != SharedKeys().end());
  return *found;
}

// Splits a type at | outside of brackets.
std::vector<std::string_view> Alternatives(std::string_view type) {
  std::vector<std::string_view> alternatives;
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i < type.size(); ++i) {
    if (type[i] == '[' || type[i] == '{') ++depth;
    if (type[i] == ']' || type[i] == '}') --depth;
    if (type[i] != '|' || depth > 0) continue;
    alternatives.push_back(type.substr(begin, i - begin));
    begin = i + 1;
  }
  alternatives.push_back(type.substr(begin));
  return alternatives;
}

bool IsName(std::string_view type) { return !type.empty() && type[0] >= 'A' && type[0] <= 'Z'; }
std::string_view Inner(std::string_view type) { return type.substr(1, type.size() - 2); }

Json SchemaOfOne(std::string_view type, std::string_view definitions) {
  if (IsName(type))
    return {{"$ref", absl::StrCat(std::string(definitions), std::string(ShapeOf(type).name))}};
  if (type.starts_with('['))
    return {{"type", "array"}, {"items", SchemaOfType(Inner(type), definitions)}};
  if (type.starts_with('{'))
    return {{"type", "object"}, {"additionalProperties", SchemaOfType(Inner(type), definitions)}};
  if (type.starts_with('=')) return {{"const", std::string(type.substr(1))}};
  if (type == "any") return Json::object();
  if (type == "count") return {{"type", "integer"}, {"minimum", 0}};
  if (type == "sha256") return {{"type", "string"}, {"pattern", "^[0-9a-f]{64}$"}};
  constexpr std::string_view kPlain[] = {"string",  "integer", "number",
                                         "boolean", "null",    "object"};
  DL_CHECK(std::ranges::find(kPlain, type) != std::end(kPlain));
  return {{"type", std::string(type)}};
}

// Calls `visit` with each document that the type names itself.
template <typename Visit>
void ForEachName(std::string_view type, const Visit& visit) {
  for (const std::string_view one : Alternatives(type)) {
    if (IsName(one)) {
      visit(ShapeOf(one));
    } else if (one.starts_with('[') || one.starts_with('{')) {
      ForEachName(Inner(one), visit);
    }
  }
}

// Calls `visit` with each word of a text with spaces between the words.
template <typename Visit>
void ForEachWord(std::string_view words, const Visit& visit) {
  while (!words.empty()) {
    const size_t end = std::min(words.find(' '), words.size());
    visit(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
}

enum class Presence { kAlways, kSometimes };

// Calls `visit` with each key of the document and of its bases.
template <typename Visit>
void ForEachKey(const DocumentShape& shape, const Visit& visit) {
  if (!shape.base.empty()) ForEachKey(ShapeOf(shape.base), visit);
  ForEachWord(shape.required,
              [&](std::string_view name) { visit(SharedKey(name), Presence::kAlways); });
  for (const Key& key : shape.own) visit(key, Presence::kAlways);
  ForEachWord(shape.optional,
              [&](std::string_view name) { visit(SharedKey(name), Presence::kSometimes); });
  for (const Key& key : shape.own_optional) visit(key, Presence::kSometimes);
}

Json SchemaOfShape(const DocumentShape& shape, std::string_view definitions) {
  if (!shape.is.empty()) {
    Json schema = SchemaOfType(shape.is, definitions);
    schema["description"] = std::string(shape.about);
    return schema;
  }
  Json properties = Json::object(), patterns = Json::object(), required = Json::array();
  ForEachKey(shape, [&](const Key& key, Presence presence) {
    const std::string name(key.name.substr(0, key.name.find(':')));
    Json schema = SchemaOfType(key.type, definitions);
    schema["description"] = std::string(key.about);
    if (name.find('#') != std::string::npos) {
      patterns[absl::StrCat("^", absl::StrReplaceAll(name, {{"#", "[0-9]+"}}), "$")] =
          std::move(schema);
      return;
    }
    DL_CHECK(!properties.contains(name));
    properties[name] = std::move(schema);
    if (presence == Presence::kAlways) required.push_back(name);
  });
  Json schema = {{"type", "object"},
                 {"description", std::string(shape.about)},
                 {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  if (!patterns.empty()) schema["patternProperties"] = std::move(patterns);
  if (!shape.has_other_keys) schema["additionalProperties"] = false;
  return schema;
}

void AddDefinitions(std::string_view type, std::string_view definitions, Json& all) {
  ForEachName(type, [&](const DocumentShape& shape) {
    const std::string name(shape.name);
    if (all.contains(name)) return;
    all[name] = SchemaOfShape(shape, definitions);
    AddDefinitions(shape.is, definitions, all);
    ForEachKey(shape,
               [&](const Key& key, Presence) { AddDefinitions(key.type, definitions, all); });
  });
}

}  // namespace

std::vector<std::string> SchemaNames() {
  std::vector<std::string> names;
  for (const auto& [name, shape] : Shapes()) names.emplace_back(name);
  return names;
}

Json SchemaOfType(std::string_view type, std::string_view definitions) {
  const std::vector<std::string_view> alternatives = Alternatives(type);
  if (alternatives.size() == 1) return SchemaOfOne(type, definitions);
  Json schemas = Json::array(), words = Json::array(), types = Json::array();
  for (const std::string_view one : alternatives) {
    Json schema = SchemaOfOne(one, definitions);
    if (schema.contains("const")) words.push_back(schema["const"]);
    if (schema.contains("type") && schema.size() == 1) types.push_back(schema["type"]);
    schemas.push_back(std::move(schema));
  }
  if (words.size() == alternatives.size()) return {{"enum", std::move(words)}};
  if (types.size() == alternatives.size()) return {{"type", std::move(types)}};
  return {{"anyOf", std::move(schemas)}};
}

Json SchemaDefinitions(std::string_view type, std::string_view definitions) {
  Json all = Json::object();
  AddDefinitions(type, definitions, all);
  return all;
}

}  // namespace dl::web
