#include "base/document_version.h"

#include "tests/support/status_matchers.h"

namespace dl {
namespace {

using test::IsError;
using ::testing::AllOf;
using ::testing::Not;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
constexpr auto kNewer = absl::StatusCode::kUnimplemented;

// A document kind with three versions: a recipe. Step 1 -> 2: minutes became seconds and moved into
// an object `oven`.
void GiveTheOvenAnObject(DocumentUpgrade& document) {
  document.Move("minutes", "oven.seconds");
  Json& json = document.json();
  const auto oven = json.find("oven");
  if (oven == json.end() || !oven->is_object() || !oven->contains("seconds")) return;
  Json& seconds = (*oven)["seconds"];
  if (seconds.is_number_integer()) seconds = seconds.get<int64_t>() * 60;
}
// Step 2 -> 3: `oven` became `heat`, and `amount` of ingredients became `grams`. An absent
// `portions` keeps its old default.
void CallItHeat(DocumentUpgrade& document) {
  document.Move("oven", "heat");
  Json& json = document.json();
  if (!json.contains("portions")) json["portions"] = 4;
  const auto list = json.find("ingredients");
  if (list == json.end() || !list->is_array()) return;
  for (size_t i = 0; i < list->size(); ++i) {
    const std::string entry = "ingredients[" + std::to_string(i) + "].";
    document.Move(entry + "amount", entry + "grams");
  }
}
constexpr UpgradeStep kRecipeSteps[] = {&GiveTheOvenAnObject, &CallItHeat};
constexpr DocumentKind kRecipe({.name = "recipe", .version = 3, .steps = kRecipeSteps});

struct Recipe {
  int64_t seconds = 0, portions = 2;
  std::vector<int64_t> grams;
};
StatusOr<Recipe> RecipeFromJson(const Json& json, const std::string& path) {
  DL_ASSIGN_OR_RETURN(const CurrentDocument document, UpgradeToCurrent(kRecipe, json, path));
  JsonObjectReader reader = document.Reader();
  Recipe recipe;
  reader.Require("heat");
  reader.Int("portions", recipe.portions, {1, 100});
  if (const Json* heat = reader.Child("heat"); heat != nullptr) {
    JsonObjectReader inside(*heat, reader.PathOf("heat"));
    inside.Int("seconds", recipe.seconds, {1, 36000});
    reader.AddErrors(inside.Finish());
  }
  if (const Json* list = reader.Child("ingredients"); list != nullptr) {
    for (size_t i = 0; i < list->size(); ++i) {
      JsonObjectReader entry((*list)[i], reader.PathOf("ingredients[" + std::to_string(i) + "]"));
      entry.Int("grams", recipe.grams.emplace_back(), {1, 1000});
      reader.AddErrors(entry.Finish());
    }
  }
  DL_RETURN_IF_ERROR(document.Explain(reader.Finish()));
  return recipe;
}
StatusOr<Recipe> Read(const char* text, const std::string& path = "") {
  return RecipeFromJson(Json::parse(text), path);
}

TEST(DocumentVersion, EachVersionReadsAsTheSame) {
  for (
      const char* text : {
          R"({"minutes": 2, "ingredients": [{"amount": 5}, {"amount": 7}]})",
          R"({"format": 1, "minutes": 2, "ingredients": [{"amount": 5}, {"amount": 7}]})",
          R"({"format": 2, "oven": {"seconds": 120}, "ingredients": [{"amount": 5}, {"amount": 7}]})",
          R"({"format": 3, "heat": {"seconds": 120}, "portions": 4, "ingredients": [{"grams": 5}, {"grams": 7}]})",
      }) {
    const auto recipe = Read(text);
    DL_ASSERT_OK(recipe) << text;
    EXPECT_EQ(recipe->seconds, 120) << text;
    EXPECT_EQ(recipe->portions, 4) << text;
    EXPECT_EQ(recipe->grams, (std::vector<int64_t>{5, 7})) << text;
  }
}

// If a default changes, the version changes: older documents keep the old default.
TEST(DocumentVersion, OnlyTheNewestDocumentHasTheNewestDefaults) {
  EXPECT_EQ(Read(R"({"format": 2, "oven": {"seconds": 1}})")->portions, 4);
  EXPECT_EQ(Read(R"({"format": 3, "heat": {"seconds": 1}})")->portions, 2);
  // Version 3 has no key "minutes", so it is not read.
  EXPECT_THAT(Read(R"({"format": 3, "minutes": 1})"), IsError(kInvalid, "heat: is missing"));
}

TEST(DocumentVersion, ErrorNamesKeyAsInDocument) {
  EXPECT_THAT(Read(R"({"minutes": 0})", "menu[1]"),
              AllOf(IsError(kInvalid, "menu[1].heat.seconds: is 0, must be from 1 to 36000"),
                    IsError(kInvalid,
                            "This recipe has format 1, where menu[1].heat.seconds is "
                            "called menu[1].minutes")));
  EXPECT_THAT(Read(R"({"format": 2, "oven": {"seconds": 0}})"),
              IsError(kInvalid, "This recipe has format 2, where heat is called oven"));
  EXPECT_THAT(Read(R"({"minutes": 1, "ingredients": [{"amount": 5}, {"amount": 0}]})"),
              AllOf(IsError(kInvalid, "ingredients[1].grams: is 0"),
                    IsError(kInvalid, "ingredients[1].grams is called ingredients[1].amount")));
  // No key was moved, so no other name is reported.
  EXPECT_THAT(Read(R"({"format": 3, "heat": {"seconds": 0}})"), Not(IsError(kInvalid, "called")));
  EXPECT_THAT(Read(R"({"portion": 1})"), Not(IsError(kInvalid, "called")));
}

TEST(DocumentVersion, ReaderNamesPartsUnknownToStep) {
  EXPECT_THAT(Read(R"({"minutes": "two"})"),
              IsError(kInvalid, "heat.seconds: must be a whole number, is \"two\""));
  EXPECT_THAT(Read(R"({"oven": 3, "minutes": 2})"),
              IsError(kInvalid, "minutes: unknown key"));  // no object to move it into
  EXPECT_THAT(Read(R"({"format": 2, "oven": {}, "heat": {}})"),
              IsError(kInvalid, "oven: unknown key"));  // the intended one is not guessed
  EXPECT_THAT(Read(R"({"minutes": 1, "ingredients": [3, {"size": 1}]})"),
              AllOf(IsError(kInvalid, "ingredients[0]: must be an object"),
                    IsError(kInvalid, "ingredients[1].size: unknown key")));
  for (const char* text : {"[]", "3", "null", "\"x\""})
    EXPECT_THAT(Read(text), IsError(kInvalid, "the document: must be an object")) << text;
}

TEST(DocumentVersion, NewerDocumentIsRefused) {
  EXPECT_THAT(
      Read(R"({"format": 4, "surprise": 1})", "menu[1]"),
      AllOf(
          IsError(kNewer,
                  "menu[1].format: this recipe has format 4, but this build reads formats 1 to 3"),
          IsError(kNewer, "Use a newer build")));
  EXPECT_THAT(Read(R"({"format": 18446744073709551615})"), IsError(kNewer, "18446744073709551615"));
}

TEST(DocumentVersion, VersionMustBePositiveInteger) {
  for (const char* version :
       {"0", "-1", "1.0", "1e30", "\"1\"", "true", "null", "[1]", "{}", "-9223372036854775808"}) {
    const std::string text = std::string(R"({"minutes": 2, "format": )") + version + "}";
    EXPECT_THAT(Read(text.c_str(), "menu"),
                IsError(kInvalid, "menu.format: must be a whole number of at least 1, is "))
        << version;
  }
}

// ---- kinds that began with a later version, and nested documents ----

constexpr UpgradeStep kOnlyTheLast[] = {&CallItHeat};
constexpr DocumentKind kLateRecipe(
    {.name = "late recipe", .version = 3, .oldest = 2, .steps = kOnlyTheLast, .key = "version"});

TEST(DocumentVersion, BelowOldestIsRefusedEvenIfUnstated) {
  for (const char* text : {"{}", R"({"version": 1})", R"({"format": 2})"}) {
    const Json json = Json::parse(text);
    const auto document = UpgradeToCurrent(kLateRecipe, json, "");
    EXPECT_THAT(document, IsError(kInvalid, "but this build reads versions 2 to 3")) << text;
  }
  const Json one = Json::parse(R"({"version": 1})");
  EXPECT_THAT(
      UpgradeToCurrent(kLateRecipe, one, ""),
      IsError(kInvalid,
              "version: this late recipe has version 1, but this build reads versions 2 to 3"));
  const Json two = Json::parse(R"({"version": 2, "oven": 1})");
  EXPECT_EQ(UpgradeToCurrent(kLateRecipe, two, "")->json(),
            Json::parse(R"({"version": 3, "heat": 1, "portions": 4})"));
}

constexpr DocumentKind kMenu({.name = "menu", .version = 1});

TEST(DocumentVersion, NestedDocumentHasOwnVersion) {
  const Json menu = Json::parse(R"({"format": 1, "main": {"minutes": 1}, "price": 3})");
  auto document = UpgradeToCurrent(kMenu, menu, "tuesday");
  DL_ASSERT_OK(document);
  DL_ASSERT_OK(document->UpgradeMember(kRecipe, "main"));
  DL_ASSERT_OK(document->UpgradeMember(kRecipe, "dessert"));  // absent
  EXPECT_EQ(document->json(), Json::parse(R"({"format": 1, "price": 3,
                            "main": {"format": 3, "heat": {"seconds": 60}, "portions": 4}})"));
  EXPECT_THAT(document->Explain(InvalidArgument({.message = "bad", .remedy = "Cook anew"})),
              IsError(kInvalid,
                      "Cook anew. This recipe has format 1, where "
                      "tuesday.main.heat.seconds is called tuesday.main.minutes"));
  EXPECT_EQ(menu.at("main").size(), 1u) << "what was written stays as it is";
  const Json late = Json::parse(R"({"main": {"format": 4}})");
  EXPECT_THAT(UpgradeToCurrent(kMenu, late, "")->UpgradeMember(kRecipe, "main"),
              IsError(kNewer, "main.format: this recipe has format 4"));
}

TEST(DocumentVersion, CurrentDocumentIsNotCopied) {
  const Json json = Json::parse(R"({"format": 3})");
  EXPECT_EQ(&UpgradeToCurrent(kRecipe, json, "")->json(), &json);
}

// ---- moves ----

TEST(DocumentUpgrade, MovesAlsoIntoWhatStoodThere) {
  const Json json = Json::parse(R"({"rate": 0.5, "a": {"b": [{"c": 1}]}})");
  DocumentUpgrade upgrade(json);
  upgrade.Move("rate", "rate.initial");
  upgrade.Move("a.b[0].c", "d");
  upgrade.Move("a.b[1].c", "e");
  upgrade.Move("a.b.c", "e");
  upgrade.Move("nothing", "e");
  EXPECT_EQ(upgrade.json(), Json::parse(R"({"rate": {"initial": 0.5}, "a": {"b": [{}]}, "d": 1})"));
  EXPECT_EQ(upgrade.moved().size(), 2u);
}

TEST(DocumentUpgrade, KeyMovedTwiceHasItsFirstName) {
  const Json json = Json::parse(R"({"a": 1})");
  DocumentUpgrade upgrade(json);
  upgrade.Move("a", "b");
  upgrade.Move("b", "c.d");
  upgrade.Move("c", "e");
  ASSERT_EQ(upgrade.moved().size(), 1u);
  EXPECT_EQ(upgrade.moved()[0].written, "a");
  EXPECT_EQ(upgrade.moved()[0].now, "e.d");
}

}  // namespace
}  // namespace dl
