#include "web/documents/sample_view.h"

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "gtest/gtest.h"

namespace dl::web {
namespace {

TEST(SampleView, RowsHaveTheirColumnsInOrder) {
  const Json view = SampleView(
      {{"columns", {"size", "kind"}},
       {"samples",
        {{{"id", 3}, {"values", {{"kind", "a"}, {"size", 1.5}}}, {"label", "cat"}},
         {{"id", 4}, {"values", {{"kind", ""}, {"size", nullptr}}}, {"label", nullptr}}}}});
  EXPECT_EQ(view["are_rows"], true);
  EXPECT_EQ(view["has_labels"], true);
  EXPECT_EQ(view["columns"], Json({"size", "kind"}));
  const Json& row = view["samples"][0];
  EXPECT_EQ(row["label_text"], "cat");
  EXPECT_EQ(row["cells"][0]["text"], "1.5");
  EXPECT_EQ(row["cells"][1]["text"], "a");
  const Json& other = view["samples"][1];
  EXPECT_EQ(other["label_text"], "missing") << "an unknown class";
  for (const Json& cell : other["cells"])
    EXPECT_EQ(cell, (Json{{"text", "missing"}, {"is_missing", true}}));
  EXPECT_EQ(row["cells"][0]["is_missing"], false);
}

TEST(SampleView, WideTableIsCut) {
  Json values = Json::object(), columns = Json::array();
  for (int i = 0; i < 30; ++i) {
    columns.push_back(absl::StrCat("c", i));
    values[absl::StrCat("c", i)] = i;
  }
  const Json view = SampleView({{"columns", columns}, {"samples", {{{"values", values}}}}});
  EXPECT_EQ(view["columns"].size(), kMaxShownColumns);
  EXPECT_EQ(view["more_columns"], 30 - kMaxShownColumns);
  EXPECT_EQ(view["samples"][0]["cells"].size(), kMaxShownColumns);
  EXPECT_EQ(view["has_labels"], false);
}

TEST(SampleView, FormFollowsTheSamples) {
  EXPECT_EQ(SampleView({{"samples", {{{"has_image", true}, {"label", 3}}}}})["are_pictures"], true);
  const Json texts =
      SampleView({{"samples", {{{"text", "to be"}, {"values", {1, 2}}, {"label", {2, 3}}}}}});
  EXPECT_EQ(texts["are_texts"], true);
  EXPECT_EQ(texts["has_labels"], false) << "the labels are the next tokens";
  const Json lists =
      SampleView({{"samples", {{{"values", {119344.0, nullptr, 2.5}}, {"label", {0, 1}}}}}});
  EXPECT_EQ(lists["are_lists"], true);
  EXPECT_EQ(lists["samples"][0]["list_text"], "119344  missing  2.5");
  EXPECT_EQ(lists["samples"][0]["label_text"], "0, 1");
  EXPECT_EQ(SampleView(Json::object())["samples"], Json::array());
}

TEST(SampleView, BlankTextsAreVisible) {
  const Json view = SampleView(
      {{"columns", {"kind"}},
       {"samples", {{{"values", {{"kind", " "}}}, {"label", "\n"}, {"predicted", {"a", " "}}}}}});
  const Json& sample = view["samples"][0];
  EXPECT_EQ(sample["cells"][0]["text"], "\" \"");
  EXPECT_EQ(sample["label_text"], "\"\\n\"");
  EXPECT_EQ(sample["predicted_text"], "a, \" \"");
}

TEST(SampleView, PredictedNumbersAreRounded) {
  for (const auto& [number, text] : {std::pair{0.123456789, "0.12346"},
                                     {-12.3456789, "-12.346"},
                                     {1234567.89, "1234568"},
                                     {3.0, "3"},
                                     {0.0, "0"}}) {
    const Json view = SampleView({{"samples", {{{"values", {1}}, {"predicted", number}}}}});
    EXPECT_EQ(view["samples"][0]["predicted_text"], text);
  }
}

TEST(SampleView, PredictionsAreTexts) {
  const Json view = SampleView(
      {{"samples", {{{"has_image", true}, {"label", "a"}, {"predicted", "b"}, {"loss", 2.5}}}}});
  EXPECT_EQ(view["samples"][0]["predicted_text"], "b");
  EXPECT_EQ(view["samples"][0]["loss"], 2.5);
  EXPECT_FALSE(view["samples"][0].contains("predicted"));
}

}  // namespace
}  // namespace dl::web
