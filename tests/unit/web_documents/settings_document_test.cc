#include "web/documents/settings_document.h"

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "gtest/gtest.h"

namespace dl::web {
namespace {

Json Spec(int epochs) {
  return {{"name", "lenet"},
          {"training", {{"epochs", epochs}, {"averaging_frequency", 8}, {"isa", ""}}},
          {"model", {{"layers", {{{"name", "conv1"}, {"filters", 20}, {"kernel", {5, 5}}}}}}},
          {"data", {{"test", nullptr}}}};
}

// Returns the row with this path, or null.
Json RowOf(const Json& sections, const std::string& path) {
  for (const Json& section : sections) {
    for (const Json& row : section["rows"]) {
      if (row["path"] == path) return row;
    }
  }
  return nullptr;
}

TEST(SettingsDocument, SectionsFollowThePartsOfAJob) {
  const Json sections = SettingsDocument(Spec(6));
  ASSERT_EQ(sections.size(), 4u);
  EXPECT_EQ(sections[0]["section"], "job");
  EXPECT_EQ(sections[1]["section"], "training");
  EXPECT_EQ(sections[2]["section"], "model");
  EXPECT_EQ(sections[3]["section"], "data");
}

TEST(SettingsDocument, ValueOfTheJobDiffersFromBuiltInValue) {
  const Json sections = SettingsDocument(Spec(6));
  const Json epochs = RowOf(sections, "training.epochs");
  EXPECT_EQ(epochs["value"], "6");
  EXPECT_EQ(epochs["origin"], "job");
  EXPECT_EQ(RowOf(SettingsDocument(Spec(1)), "training.epochs")["origin"], "built-in");
  EXPECT_EQ(RowOf(sections, "training.isa")["value"], "empty");
  EXPECT_EQ(RowOf(sections, "data.test")["value"], "none");
}

TEST(SettingsDocument, LayersHaveTheirNames) {
  const Json sections = SettingsDocument(Spec(6));
  EXPECT_EQ(RowOf(sections, "model.layers.conv1.filters")["value"], "20");
  EXPECT_EQ(RowOf(sections, "model.layers.conv1.kernel")["value"], "[5,5]");
}

TEST(SettingsDocument, DefaultsOfATypeAreBuiltIn) {
  const Json spec = {
      {"model",
       {{"updater",
         {{"type", "rmsprop"},
          {"momentum", 0.0},
          {"epsilon", 1e-6},
          {"learning_rate", {{"type", "fixed"}, {"initial", 0.01}}}}},
        {"layers",
         {{{"name", "c"},
           {"type", "conv2d"},
           {"filters", 20},
           {"kernel", {3, 3}},
           {"stride", {2, 2}},
           {"activation", {{"type", "identity"}}}},
          {{"name", "p"}, {"type", "max_pool2d"}, {"kernel", {5, 5}}, {"stride", {5, 5}}},
          {{"name", "d"},
           {"type", "dense"},
           {"units", 10},
           {"activation", {{"type", "leaky_relu"}, {"alpha", 0.01}}}}}}}}};
  const Json sections = SettingsDocument(spec);
  for (const char* path :
       {"updater.momentum", "updater.learning_rate.type", "updater.learning_rate.initial",
        "layers.c.kernel", "layers.c.activation.type", "layers.p.stride",
        "layers.d.activation.alpha"}) {
    EXPECT_EQ(RowOf(sections, absl::StrCat("model.", path))["origin"], "built-in") << path;
  }
  for (const char* path : {"updater.type", "updater.epsilon", "layers.c.filters", "layers.c.stride",
                           "layers.p.kernel", "layers.d.activation.type", "layers.d.units"}) {
    EXPECT_EQ(RowOf(sections, absl::StrCat("model.", path))["origin"], "job") << path;
  }
}

TEST(SettingsDocument, MembersOfADefaultObjectAreBuiltIn) {
  const Json sections =
      SettingsDocument({{"training", {{"strategy", {{"type", "average"}}}}},
                        {"model", {{"gradient_normalization", {{"type", "none"}}}}}});
  EXPECT_EQ(RowOf(sections, "training.strategy.type")["origin"], "built-in");
  EXPECT_EQ(RowOf(sections, "model.gradient_normalization.type")["origin"], "built-in");
  const Json other = SettingsDocument({{"training", {{"strategy", {{"type", "outer"}}}}}});
  EXPECT_EQ(RowOf(other, "training.strategy.type")["origin"], "job");
}

TEST(DifferencesDocument, EqualSettingsAreCountedOnly) {
  Json other = Spec(6);
  other["training"]["epochs"] = 7;
  other["training"].erase("isa");
  const Json document = DifferencesDocument({Spec(6), other});
  const Json expected = {{{"path", "training.epochs"}, {"values", {"6", "7"}}},
                         {{"path", "training.isa"}, {"values", {"empty", "–"}}}};
  EXPECT_EQ(document["settings"], expected);
  EXPECT_EQ(document["same"], 6);
}

}  // namespace
}  // namespace dl::web
