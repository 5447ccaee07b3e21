// The files of a source in JSON, and what is wrong with them.
#include "job/dataset_spec.h"

#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "job/keys.h"
#include "tests/support/status_matchers.h"

namespace dl::job {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// What is wrong with a document, or its files as they are read.
std::string Said(const std::string& document) {
  nn::Mistakes mistakes;
  const Json json = Json::parse(document);
  const DatasetSpec spec = DatasetFromJson(json, "data.train", mistakes);
  if (mistakes.empty()) CheckDataset(spec, "data.train", mistakes);
  return std::string(mistakes.ToStatus().message());
}
DatasetSpec Read(const std::string& document) {
  nn::Mistakes mistakes;
  DatasetSpec spec = DatasetFromJson(Json::parse(document), "data.train", mistakes);
  EXPECT_TRUE(mistakes.empty()) << mistakes.ToStatus();
  return spec;
}

TEST(DatasetSpecTest, OneFileIsATextAndSeveralAreAList) {
  const DatasetSpec one = Read(R"({"format":"csv","path":"a.csv"})");
  EXPECT_EQ(one, DatasetSpec(data::Csv("a.csv")));
  EXPECT_EQ(ToJson(one)["path"], "a.csv");
  EXPECT_EQ(Read(R"({"format":"csv","path":["a.csv"]})"), one);
  const DatasetSpec two = Read(R"({"format":"csv","path":["a.csv","b-*.csv"]})");
  EXPECT_EQ(two, DatasetSpec(data::Csv({"a.csv", "b-*.csv"})));
  EXPECT_EQ(ToJson(two)["path"], Json({"a.csv", "b-*.csv"}));
  const DatasetSpec idx = Read(R"({"format":"idx","features":["x1","x2"],"labels":"y*"})");
  EXPECT_EQ(idx, DatasetSpec(data::Idx({"x1", "x2"}, "y*")));
  EXPECT_THAT(FilesOf(idx), ElementsAre(Files({"x1", "x2"}), Files("y*")));
}

// Older builds read batches as a list only.
TEST(DatasetSpecTest, BatchesAreWrittenAsAList) {
  EXPECT_EQ(ToJson(data::Cifar10("a.bin"))["paths"], Json::array({"a.bin"}));
}

TEST(DatasetSpecTest, PathAndPathsAreOneKey) {
  EXPECT_EQ(Read(R"({"format":"csv","paths":["a","b"]})"), DatasetSpec(data::Csv({"a", "b"})));
  EXPECT_EQ(Read(R"({"format":"cifar10","path":"a*.bin"})"), DatasetSpec(data::Cifar10("a*.bin")));
  EXPECT_THAT(Said(R"({"format":"csv","path":"a","paths":["b"]})"), HasSubstr("data.train.paths"));
  EXPECT_THAT(Said(R"({"format":"idx","features":"x","labels":"y","path":"a"})"),
              HasSubstr("data.train.path: is a key of format"));
}

TEST(DatasetSpecTest, MistakesInTheNamesOfFiles) {
  EXPECT_THAT(Said(R"({"format":"csv"})"), HasSubstr("data.train.path: is missing"));
  EXPECT_THAT(Said(R"({"format":"csv","path":3})"),
              HasSubstr("data.train.path: must be a path or a list of paths, is 3"));
  EXPECT_THAT(Said(R"({"format":"csv","path":["a",3]})"), HasSubstr("list of strings"));
  EXPECT_THAT(Said(R"({"format":"csv","path":[]})"), HasSubstr("path names 0 files"));
  EXPECT_THAT(Said(R"({"format":"csv","path":["a",""]})"), HasSubstr("path is empty"));
  EXPECT_THAT(Said(R"({"format":"cvs","path":"a"})"),
              AllOf(HasSubstr("data.train.format"), HasSubstr("did you mean \"csv\"")));
  EXPECT_THAT(Said(R"({"path":"a"})"), HasSubstr("data.train.format: is missing"));
  EXPECT_THAT(Said("[]"), HasSubstr("must be an object"));
}

TEST(DatasetSpecTest, AManifestIsNamedByItsHash) {
  const auto said = [](const std::string& sha256) {
    nn::Mistakes mistakes;
    CheckDataset(ManifestReference{sha256, {.examples = 1, .feature_shape = {2}, .classes = 2}}, "",
                 mistakes);
    return std::string(mistakes.ToStatus().message());
  };
  EXPECT_EQ(said(std::string(64, 'a')), "");
  EXPECT_THAT(said(std::string(64, 'A')), HasSubstr("not 64 lower-case hex digits"));
  EXPECT_THAT(said(std::string(63, 'a')), HasSubstr("not 64 lower-case hex digits"));
  EXPECT_THAT(said(""), HasSubstr("sha256 is empty"));
}

TEST(DatasetSpecTest, FilesAreSetByPath) {
  Json json = Json::parse(R"({"data":{"train":{"format":"csv","path":"a"}}})");
  const auto set = [&](const char* key, const char* text) {
    DL_EXPECT_OK(SetByPath(json, key, text));
    return json["data"]["train"]["path"];
  };
  EXPECT_EQ(set("data.train.path", "b.csv"), "b.csv");
  EXPECT_EQ(set("data.train.path", R"(["b","c"])"), Json({"b", "c"}));
  EXPECT_EQ(set("data.train.path.1", "d"), Json({"b", "d"}));
  EXPECT_EQ(set("data.train.path", "[ab].csv"), "[ab].csv") << "a pattern";
  EXPECT_EQ(set("data.train.path.0", "e"), Json::array({"e"}));
}

}  // namespace
}  // namespace dl::job
