// The files of a source in JSON, and the mistakes in them.
#include "job/dataset_spec.h"

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "job/job_keys.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/job/sample_specs.h"

namespace dl::job {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Returns the mistakes in a document. If there are none, returns its files as they are read.
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

TEST(DatasetSpecTest, OneFileIsStringAndSeveralAreList) {
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

// Older builds accept batches only as a list.
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

TEST(DatasetSpecTest, ColumnsAreNamesOrIndices) {
  const auto of = [](const std::string& keys) {
    return std::get<CsvSource>(Read(R"({"format":"csv","path":"a",)" + keys + "}"));
  };
  const CsvSource list = of(R"("exclude_columns":["id",3,-1])");
  EXPECT_EQ(list.exclude_columns, (Columns{"id", 3, -1}));
  EXPECT_EQ(ToJson(DatasetSpec(list))["exclude_columns"], Json({"id", 3, -1}));
  EXPECT_EQ(of(R"("exclude_columns":"id")").exclude_columns, Columns{"id"});
  EXPECT_EQ(of(R"("exclude_columns":-2)").exclude_columns, Columns{-2});
  const CsvSource automatic = of(R"("categorical_columns":"auto")");
  EXPECT_TRUE(automatic.categorical_columns.automatic);
  EXPECT_EQ(ToJson(DatasetSpec(automatic))["categorical_columns"], "auto");
  EXPECT_EQ(of(R"("categorical_columns":["auto"])").categorical_columns, CategoricalColumns{"auto"})
      << "a column of that name";
}

TEST(DatasetSpecTest, LabelsAreNamedWhereThereAreSome) {
  EXPECT_EQ(Said(R"({"format":"npy","features":"x.npy","label_type":"none"})"), "");
  EXPECT_THAT(Said(R"({"format":"npy","features":"x.npy"})"),
              HasSubstr("no file of labels is named"));
  EXPECT_THAT(Said(R"({"format":"npy","features":"x.npy","labels":"y","label_type":"none"})"),
              HasSubstr("label_type is \"none\""));
  EXPECT_THAT(Said(R"({"format":"idx","features":"x.idx"})"), HasSubstr("labels"));
  EXPECT_THAT(Said(R"({"format":"libsvm","path":"x","label_type":"none"})"),
              HasSubstr("begins with a label"));
  const std::string images = R"({"format":"image_folder","folder":"x","height":1,"width":1,)";
  EXPECT_EQ(Said(images + R"("label_type":"none"})"), "");
  EXPECT_THAT(Said(images + R"("label_type":"number"})"), HasSubstr("folders are classes"));
  EXPECT_THAT(Said(R"({"format":"npz","path":"x","label_type":"none","class_names":["a"]})"),
              HasSubstr("but no labels"));
}

TEST(DatasetSpecTest, ImagesHaveOneOrThreeChannels) {
  const auto of = [](int channels) {
    return Said(
        absl::StrCat(R"({"format":"image_folder","folder":"x","height":1,"width":1,"channels":)",
                     channels, "}"));
  };
  EXPECT_EQ(of(1), "");
  EXPECT_EQ(of(3), "");
  for (const int wrong : {-1, 0, 2, 4}) {
    EXPECT_THAT(of(wrong),
                HasSubstr(absl::StrCat("channels cannot be ", wrong, ". Use one of 1, 3")));
  }
  const Status set = CheckSetting("data.train.channels", "2");
  EXPECT_THAT(std::string(set.message()), HasSubstr("\"2\" is none of 1, 3"));
  EXPECT_EQ(ErrorRemedy(set), "Use 1 or 3");
  DL_EXPECT_OK(CheckSetting("data.train.channels", "3"));
}

TEST(DatasetSpecTest, MistakesInColumns) {
  const auto of = [](const std::string& keys) {
    return Said(R"({"format":"csv","path":"a",)" + keys + "}");
  };
  EXPECT_THAT(of(R"("exclude_columns":[1.5])"),
              HasSubstr("data.train.exclude_columns: must be names of columns or their indices"));
  for (const char* bad :
       {"true", "{}", "[[]]", "[16777217]", "[-16777217]", "18446744073709551615"})
    EXPECT_THAT(of(std::string(R"("exclude_columns":)") + bad), HasSubstr("or their indices"));
  EXPECT_THAT(of(R"("exclude_columns":["a","a"])"), HasSubstr("exclude_columns names \"a\" twice"));
  EXPECT_THAT(of(R"("exclude_columns":[""])"), HasSubstr("exclude_columns is empty"));
  EXPECT_THAT(of(R"("header":false,"categorical_columns":["a"])"), HasSubstr("has no header"));
  EXPECT_THAT(of(R"("target_columns":["a"])"), HasSubstr("Set label_type to \"number\""));
  EXPECT_THAT(of(R"("target_columns":["a"],"label_type":"number","label_column":0)"),
              HasSubstr("both target_columns and label_column are given"));
  EXPECT_THAT(of(R"("label_suffix":".","label_type":"number")"), HasSubstr("label_suffix"));
  EXPECT_THAT(of(R"("label_suffix":".","label_type":"none")"),
              HasSubstr("the labels are not classes"));
  EXPECT_THAT(of(R"("label_type":"none","label_column":0)"), HasSubstr("exclude_columns"));
  EXPECT_THAT(of(R"("label_type":"none","target_columns":["a"])"), HasSubstr("exclude_columns"));
  EXPECT_THAT(of(R"("label_type":"none","sequences":{"steps":2,"label_of":"step"})"),
              HasSubstr("there are no labels"));
  EXPECT_THAT(of(R"("comment":"//")"), HasSubstr("the comment is not one ASCII character"));
  EXPECT_THAT(of(R"("comment":",")"), HasSubstr("the comment is not one ASCII character"));
  EXPECT_THAT(of(R"("category_encoding":"onehot")"), HasSubstr("did you mean \"one_hot\""));
  EXPECT_THAT(of(R"("missing_number":"own_class")"), HasSubstr("data.train.missing_number"));
  EXPECT_THAT(of(R"("exclude_column":[])"), HasSubstr("did you mean \"exclude_columns\""));
}

TEST(DatasetSpecTest, ColumnsAreSetByPath) {
  Json json = Json::parse(R"({"data":{"train":{"format":"csv","path":"a"}}})");
  const auto set = [&](const char* key, const char* text) {
    DL_EXPECT_OK(SetByPath(json, key, text));
    return json["data"]["train"];
  };
  EXPECT_EQ(set("data.train.exclude_columns", "id")["exclude_columns"], "id");
  EXPECT_EQ(set("data.train.exclude_columns.0", "3")["exclude_columns"], Json::array({3}));
  EXPECT_EQ(set("data.train.exclude_columns", R"(["a",1])")["exclude_columns"], Json({"a", 1}));
  EXPECT_EQ(set("data.train.categorical_columns", "auto")["categorical_columns"], "auto");
  EXPECT_EQ(set("data.train.comment", "#")["comment"], "#");
  DL_EXPECT_OK(SetByPath(json, "data.split.test_fraction", "0.5"));
  EXPECT_EQ(json["data"]["split"], Json::parse(R"({"test_fraction":0.5})"));
}

TEST(DataSplitTest, IncompatibleKeysAreRefused) {
  const auto said = [](const std::string& data) {
    const auto spec = JobFromText(
        R"({"model":{"input":{"type":"feed_forward","features":2},)"
        R"("layers":[{"type":"output","units":2,"loss":"softmax_cross_entropy"}]},)"
        R"("training":{"early_stopping":{}},"data":{"train":{"format":"csv","path":"a"})" +
            data + "}}",
        "x");
    return std::string(spec.status().message());
  };
  EXPECT_EQ(said(R"(,"split":{})"), "") << "20 %, and early stopping has its test set";
  EXPECT_THAT(said(R"(,"split":null)"), HasSubstr("early stopping needs a test set"));
  EXPECT_THAT(said(R"(,"split":{"test_fraction":1})"), HasSubstr("test_fraction"));
  EXPECT_THAT(said(R"(,"split":{"fraction":0.5})"), HasSubstr("data.split.fraction"));
  EXPECT_THAT(said(R"(,"split":{},"test":{"format":"csv","path":"b"})"),
              HasSubstr("Leave out data.test or data.split"));
  const auto imported =
      SampleJob().Train(SampleManifest()).Test(SampleManifest()).Split({}).Build();
  EXPECT_THAT(std::string(imported.status().message()), HasSubstr("data.split needs files"));
}

// The reader uses the training set's treatment of values for both sets.
TEST(DatasetSpecTest, TestSetStatesNoTreatmentOfItsOwn) {
  const auto said = [](const CsvSource& training, const CsvSource& test) {
    nn::Mistakes mistakes;
    CheckTestSet(training, test, mistakes);
    return std::string(mistakes.ToStatus().message());
  };
  const CsvSource plain = data::Csv("a"),
                  mean = CsvSource(plain).OnMissing(MissingNumber::kMean, {});
  EXPECT_EQ(said(mean, mean), "");
  EXPECT_EQ(said(mean, plain), "") << "a default is not stated";
  EXPECT_THAT(said(plain, mean),
              HasSubstr("data.test (csv): missing_number differs from that of the training set"));
  EXPECT_THAT(said(mean, CsvSource(plain).OnMissing(MissingNumber::kMostFrequent, {})),
              HasSubstr("missing_number differs"));
  EXPECT_THAT(said(plain, CsvSource(plain)
                              .OnMissing({}, MissingCategory::kOwnClass)
                              .OnUnknownCategory(UnknownCategory::kError)
                              .CategoriesAs(CategoryEncoding::kIndex)
                              .OrderOfDates(DateOrder::kDayFirst)),
              AllOf(HasSubstr("missing_category differs"), HasSubstr("unknown_category differs"),
                    HasSubstr("category_encoding differs"), HasSubstr("date_order differs")));
}

TEST(DatasetSpecTest, TestTextStatesNoVocabularyOfItsOwn) {
  const auto said = [](const TextSource& training, const TextSource& test) {
    nn::Mistakes mistakes;
    CheckTestSet(training, test, mistakes);
    return std::string(mistakes.ToStatus().message());
  };
  const TextSource all = TextSource(data::Text("a", 8)).Words();
  const TextSource few = TextSource(data::Text("a", 8)).Words(9);
  EXPECT_EQ(said(few, all), "");
  EXPECT_THAT(said(all, few), HasSubstr("data.test (text): vocabulary_size differs"));
  const TextSource characters = data::Text("a", 8);
  EXPECT_THAT(said(characters, TextSource(characters).UnknownCharactersAreAToken()),
              HasSubstr("unknown_character differs"));
}

TEST(DatasetSpecTest, ManifestIsNamedByHash) {
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
