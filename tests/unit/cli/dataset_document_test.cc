#include "cli/data/dataset_document.h"

#include "base/json.h"
#include "cli/exit_code.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace dl::cli {
namespace {

using test::IsError;

TEST(DatasetDocument, ReadsSingleDataset) {
  auto document = ReadDatasetDocument(Json::parse(R"({"format":"csv","path":"a.csv"})"), "x");
  DL_ASSERT_OK(document);
  EXPECT_EQ(std::get<job::CsvSource>(document->train).path, "a.csv");
  EXPECT_FALSE(document->test);
}

// JSON may hold the data itself.
TEST(DatasetDocument, DataInJsonIsNamed) {
  for (const char* data : {R"([{"a":1,"y":0}])", R"({"a":[1,2],"y":[0,1]})",
                           R"({"a":{"0":1},"y":{"0":1}})", "[[1,2],[3,4]]"}) {
    const Status status = ReadDatasetDocument(Json::parse(data), "x").status();
    EXPECT_THAT(status, IsError(absl::StatusCode::kInvalidArgument, "holds values in JSON"))
        << data;
    EXPECT_EQ(ExitCodeFor(status), kBadData);
  }
  EXPECT_THAT(
      ReadDatasetDocument(Json::parse(R"({"blocks":[],"schema":{},"examples":3})"), "x"),
      IsError(absl::StatusCode::kInvalidArgument, "is the manifest of an imported dataset"));
  EXPECT_THAT(ReadDatasetDocument(Json::parse(R"({"fromat":"csv","path":"a"})"), "x"),
              IsError(absl::StatusCode::kInvalidArgument, "format"));
}

TEST(DatasetDocument, ReadsDataOfJob) {
  auto document = ReadDatasetDocument(
      Json::parse(
          R"({"data":{"normalizer":"min_max","train":{"format":"csv","path":"a"},"test":{"format":"csv","path":"b"}}})"),
      "x");
  DL_ASSERT_OK(document);
  EXPECT_EQ(document->normalizer, job::NormalizerChoice::kMinMax);
  EXPECT_EQ(std::get<job::CsvSource>(*document->test).path, "b");
}

TEST(DatasetDocument, StreamJobKeepsSourceOrder) {
  const auto order = [](const std::string& training) {
    return ReadDatasetDocument(
               Json::parse(R"({"data":{"train":{"format":"csv","path":"a"}},"training":)" +
                           training + "}"),
               "x")
        ->order;
  };
  EXPECT_EQ(order(R"({"shuffle":"stream"})"), dataset::CutOrder::kSource);
  EXPECT_EQ(order(R"({"shuffle":"global"})"), dataset::CutOrder::kShuffled);
  EXPECT_EQ(order("{}"), dataset::CutOrder::kShuffled);
}

TEST(DatasetDocument, ReadsSplitOfJob) {
  const auto read = [](const char* split) {
    return ReadDatasetDocument(
        Json::parse(std::string(R"({"data":{"train":{"format":"csv","path":"a"},"split":)") +
                    split + "}}"),
        "x");
  };
  const auto document = read(R"({"test_fraction":0.5})");
  DL_ASSERT_OK(document);
  EXPECT_EQ(document->split, job::SplitConfig{.test_fraction = 0.5});
  EXPECT_FALSE(read("null")->split);
  EXPECT_THAT(read(R"({"test_fraction":2})"),
              IsError(absl::StatusCode::kInvalidArgument, "test_fraction"));
  EXPECT_THAT(read(R"({"fraction":2})"),
              IsError(absl::StatusCode::kInvalidArgument, "data.split.fraction"));
}

TEST(DatasetDocument, NewerJobIsRefused) {
  EXPECT_THAT(ReadDatasetDocument(
                  Json::parse(R"({"format":7,"data":{"train":{"format":"csv","path":"a"}}})"), "x"),
              IsError(absl::StatusCode::kUnimplemented, "x: format: this job spec has format 7"));
}

TEST(DatasetDocument, InvalidDocumentsAreRefused) {
  for (const char* text :
       {"{}", "[]", "3", R"({"data":{}})", R"({"data":3})", R"({"format":"csv","pat":"a"})",
        R"({"data":{"train":{"format":"csv","path":"a"},"normalizer":"standard"}})"}) {
    EXPECT_THAT(ReadDatasetDocument(Json::parse(text), "x"),
                IsError(absl::StatusCode::kInvalidArgument, ""))
        << text;
  }
}

}  // namespace
}  // namespace dl::cli
