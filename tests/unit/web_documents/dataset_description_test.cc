#include "web/documents/dataset_description.h"

#include "base/json.h"
#include "gtest/gtest.h"

namespace dl::web {
namespace {

TEST(DatasetDescription, ImagesHaveShapeAndClasses) {
  const Json document = DatasetDescription({{"examples", 40},
                                            {"order", "source"},
                                            {"content_fingerprint", "ab"},
                                            {"blocks", 3},
                                            {"class_histogram", {20, 10, 10}},
                                            {"normalizer", {{"kind", "standardize"}}},
                                            {"schema",
                                             {{"feature_shape", {1, 28, 28}},
                                              {"label_kind", "class"},
                                              {"classes", 3},
                                              {"class_names", {"cat", "\n"}}}}});
  EXPECT_EQ(document["features"], "1 × 28 × 28");
  EXPECT_EQ(document["label"], "3 classes");
  EXPECT_EQ(document["normalizer"], "standardize");
  EXPECT_EQ(document["blocks"], 3);
  const Json expected = {{{"name", "cat"}, {"examples", 20}, {"share", 0.5}},
                         {{"name", "\"\\n\""}, {"examples", 10}, {"share", 0.25}},
                         {{"name", "2"}, {"examples", 10}, {"share", 0.25}}};
  EXPECT_EQ(document["classes"], expected);
  EXPECT_EQ(document["has_classes"], true);
  EXPECT_EQ(document["has_columns"], false);
}

TEST(DatasetDescription, TableHasColumns) {
  const Json document = DatasetDescription(
      {{"examples", 1},
       {"blocks", Json::array({{{"sha256", "a"}}})},
       {"schema",
        {{"feature_shape", {4}},
         {"label_kind", "target"},
         {"target_size", 1},
         {"columns",
          {{{"name", "island"}, {"encoding", "one_hot"}, {"categories", {"a", "b", "c"}}},
           {{"name", "mass"}, {"fill", 4200.5}}}}}}});
  EXPECT_EQ(document["features"], "4 features");
  EXPECT_EQ(document["label"], "1 number");
  EXPECT_EQ(document["blocks"], 1);
  EXPECT_EQ(document["columns"][0]["categories"], 3);
  EXPECT_EQ(document["columns"][1]["encoding"], "number");
  EXPECT_EQ(document["columns"][1]["fill_number"], 4200.5);
  EXPECT_FALSE(document["columns"][1].contains("fill"));
  EXPECT_EQ(document["counted"], "Examples");
  EXPECT_FALSE(document.contains("feature_names")) << "they are the columns";
  EXPECT_FALSE(document.contains("normalizer"));
}

TEST(DatasetDescription, NormalizerHasMeanAndDeviationOfEachFeature) {
  Json manifest = {
      {"examples", 1},
      {"normalizer", {{"kind", "standardize"}, {"mean", {1, 2, 3}}, {"std", {0.5, 1, 2}}}},
      {"schema",
       {{"feature_shape", {3}},
        {"columns",
         {{{"name", "kind"}, {"encoding", "one_hot"}, {"categories", {"a", " "}}},
          {{"name", "mass"}}}}}}};
  Json document = DatasetDescription(manifest);
  const Json expected = {{{"name", "kind = a"}, {"first", 1}, {"second", 0.5}},
                         {{"name", "kind = \" \""}, {"first", 2}, {"second", 1}},
                         {{"name", "mass"}, {"first", 3}, {"second", 2}}};
  EXPECT_EQ(document["normalizer_rows"], expected);
  EXPECT_EQ(document["is_range"], false);
  manifest["normalizer"] = {{"kind", "min_max"}, {"min", {0}}, {"max", {255}}};
  document = DatasetDescription(manifest);
  EXPECT_EQ(document["is_range"], true);
  EXPECT_EQ(document["normalizer_rows"][0]["name"], "all");
}

TEST(DatasetDescription, SequencesCountLabelsAndNameTheirFeatures) {
  const Json document = DatasetDescription({{"class_histogram", {30, 10}},
                                            {"schema",
                                             {{"feature_shape", {8, 2}},
                                              {"feature_names", {"open", "close"}},
                                              {"label_kind", "class"},
                                              {"labels_per_example", 8},
                                              {"classes", 2}}}});
  EXPECT_EQ(document["counted"], "Labels");
  EXPECT_EQ(document["feature_names"], "open, close");
}

TEST(DatasetDescription, UnknownFormIsLeftOut) {
  EXPECT_EQ(DatasetDescription("text"), Json::object());
  EXPECT_FALSE(DatasetDescription({{"schema", 1}, {"class_histogram", "x"}}).contains("features"));
}

}  // namespace
}  // namespace dl::web
