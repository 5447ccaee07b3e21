#include "web/schemas/json_schemas.h"

#include <map>
#include <set>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "master/core/job/job_state.h"
#include "rpc/remedy.h"
#include "web/schemas/document_shape.h"

namespace dl::web {
namespace {

using testing::UnorderedElementsAreArray;

Json Defined(const std::string& name) { return SchemaDefinitions(name, "#/$defs/").at(name); }

std::vector<DocumentShape> AllShapes() {
  std::vector<DocumentShape> all;
  for (const auto& shapes :
       {JobShapes(), EventShapes(), FigureShapes(), DataShapes(), CommandShapes(), RestShapes()})
    all.insert(all.end(), shapes.begin(), shapes.end());
  return all;
}

// Calls `visit` with each key that the tables describe, and its place.
template <typename Visit>
void ForEachDescription(const Visit& visit) {
  for (const Key& key : SharedKeys()) visit(key, "shared keys");
  for (const DocumentShape& shape : AllShapes()) {
    for (const auto* keys : {&shape.own, &shape.own_optional})
      for (const Key& key : *keys) visit(key, shape.name);
  }
}

TEST(JsonSchemas, TypesBecomeSchemas) {
  const std::map<std::string, Json> expected = {
      {"string", {{"type", "string"}}},
      {"count", {{"type", "integer"}, {"minimum", 0}}},
      {"any", Json::object()},
      {"=ready", {{"const", "ready"}}},
      {"=a|=b|=", {{"enum", {"a", "b", ""}}}},
      {"number|null", {{"type", {"number", "null"}}}},
      {"[Error]", {{"type", "array"}, {"items", {{"$ref", "#/x/Error"}}}}},
      {"{[string|null]}",
       {{"type", "object"},
        {"additionalProperties", {{"type", "array"}, {"items", {{"type", {"string", "null"}}}}}}}},
      {"Error|null", {{"anyOf", {{{"$ref", "#/x/Error"}}, {{"type", "null"}}}}}}};
  for (const auto& [type, schema] : expected) EXPECT_EQ(SchemaOfType(type, "#/x/"), schema) << type;
}

TEST(JsonSchemas, DocumentHasKeysOfItsBaseAndNoOthers) {
  const Json event = Defined("RoundEvent");
  EXPECT_EQ(event["additionalProperties"], false);
  for (const char* key : {"type", "job", "seq", "unix_ms", "round", "rounds_total", "examples"}) {
    EXPECT_TRUE(event["properties"].contains(key)) << key;
    EXPECT_THAT(event["required"], testing::Contains(Json(key)));
  }
  EXPECT_THAT(event["required"], testing::Not(testing::Contains(Json("replayed"))));
  EXPECT_TRUE(event["properties"].contains("replayed"));
  const Json figures = Defined("OutputFigures");
  EXPECT_TRUE(figures["patternProperties"].contains("^top_[0-9]+_accuracy$"));
}

TEST(JsonSchemas, DefinitionsAreComplete) {
  for (const std::string& name : SchemaNames()) {
    const Json all = SchemaDefinitions(name, "#/$defs/");
    const std::string text = JsonText(all);
    constexpr std::string_view kReference = "\"#/$defs/";
    for (size_t at = text.find(kReference); at != std::string::npos;
         at = text.find(kReference, at + 1)) {
      const size_t begin = at + kReference.size();
      EXPECT_TRUE(all.contains(text.substr(begin, text.find('"', begin) - begin))) << name;
    }
  }
}

TEST(JsonSchemas, SharedKeysAreUnique) {
  std::set<std::string_view> names;
  for (const Key& key : SharedKeys()) EXPECT_TRUE(names.insert(key.name).second) << key.name;
}

// A key that two documents describe in the same way belongs to the shared keys.
TEST(JsonSchemas, EachKeyIsDescribedOnce) {
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, std::string> seen;
  ForEachDescription([&](const Key& key, std::string_view place) {
    const std::string_view name = key.name.substr(0, key.name.find(':'));
    if (name == "type" || name == "role") return;  // constants
    const auto [found, is_new] = seen.emplace(std::tuple(name, key.type, key.about), place);
    EXPECT_TRUE(is_new) << name << " of " << place << " is that of " << found->second;
  });
}

TEST(JsonSchemas, DescriptionsArePhrases) {
  ForEachDescription([&](const Key& key, std::string_view place) {
    EXPECT_GT(key.about.size(), 4u) << place << " " << key.name;
    EXPECT_FALSE(key.about.ends_with('.')) << place << " " << key.name;
  });
  for (const DocumentShape& shape : AllShapes())
    EXPECT_TRUE(shape.about.ends_with('.')) << shape.name;
}

// The same moment, time or size has its unit in the name.
TEST(JsonSchemas, NamesOfTimesHaveTheirUnit) {
  const auto ends_with_unit = [](std::string_view name) {
    return name.ends_with("_ms") || name.ends_with("_seconds");
  };
  ForEachDescription([&](const Key& key, std::string_view place) {
    const std::string_view about = key.about;
    const bool is_moment = about.find("in ms since 1970") != std::string_view::npos;
    EXPECT_TRUE(!is_moment || key.name.ends_with("unix_ms")) << place << " " << key.name;
    const bool is_time = about.starts_with("Time ") && key.type == "number";
    EXPECT_TRUE(!is_time || ends_with_unit(key.name)) << place << " " << key.name;
  });
}

template <typename Enum, typename Name>
std::set<std::string> NamesOf(Name name) {
  std::set<std::string> names;
  for (int i = 0; i < 256; ++i) {
    const std::string_view text = name(static_cast<Enum>(i));
    if (!text.empty() && text != "?") names.emplace(text);
  }
  return names;
}

TEST(JsonSchemas, WordsAreThoseOfTheMaster) {
  std::set<std::string> states = NamesOf<master::JobState>(master::JobStateName);
  states.insert("INTERRUPTED");  // a folder that no process uses
  EXPECT_THAT(Defined("JobState")["enum"], UnorderedElementsAreArray(states));
  std::set<std::string> reasons = NamesOf<master::Reason>(master::ReasonName);
  reasons.insert({"", "no_process"});
  EXPECT_THAT(Defined("Reason")["enum"], UnorderedElementsAreArray(reasons));
  std::set<std::string> actions;
  for (int kind = 0; kind < 256; ++kind) {
    if (rpc::IsRemedyKind(kind))
      actions.insert(
          rpc::ToJson(rpc::Remedy{.kind = static_cast<rpc::RemedyKind>(kind)}).at("name"));
  }
  EXPECT_THAT(Defined("ActionName")["enum"], UnorderedElementsAreArray(actions));
  std::set<std::string> codes;
  for (int code = 1; code <= 16; ++code)
    codes.emplace(ErrorCodeName(static_cast<absl::StatusCode>(code)));
  EXPECT_THAT(Defined("ErrorCode")["enum"], UnorderedElementsAreArray(codes));
}

}  // namespace
}  // namespace dl::web
