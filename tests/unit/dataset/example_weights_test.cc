// Tests the weights of examples, from a table or arrays to a minibatch.
#include <limits>
#include <map>
#include <memory>

#include "base/json.h"
#include "dataset/batch_reader.h"
#include "dataset/block.h"
#include "dataset/block_cutting.h"
#include "dataset/readers/source.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "job/dataset_spec.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/dataset/dataset_fixtures.h"
#include "tests/unit/dataset/guessed_table.h"
#include "tests/unit/dataset/packed_bytes.h"

namespace dl::dataset {
namespace {

using test::IsError;
using test::Npy;
using test::Raw;
using test::Zip;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

constexpr auto kBad = absl::StatusCode::kInvalidArgument;

class WeightsOfTables : public testing::Test {
 protected:
  job::CsvSource Source(const std::string& text) {
    return data::Csv(folder_.Write("t.csv", text)).LabelColumn("y").WeightColumn("w");
  }
  StatusOr<ExampleTable> Read(const std::string& text, const ReadOptions& options = {}) {
    return ReadSource(Source(text), options);
  }
  std::string ErrorOf(const std::string& text) {
    const Status status = Read(text).status();
    EXPECT_FALSE(status.ok()) << text;
    EXPECT_NE(ErrorRemedy(status), "") << text;
    return absl::StrCat(std::string(status.message()), " at ", ErrorWhere(status));
  }
  test::TempFolder folder_;
};

TEST_F(WeightsOfTables, ColumnIsNoFeatureAndIsDividedByItsMean) {
  const auto table = Read("a,w,y\n5,1,A\n6,0,B\n7,5,A\n");
  DL_ASSERT_OK(table);
  EXPECT_THAT(table->schema.feature_names(), ElementsAre("a"));
  EXPECT_THAT(table->f32, ElementsAre(5, 6, 7));
  EXPECT_THAT(table->weights, ElementsAre(0.5f, 0, 2.5f));
  ASSERT_TRUE(table->schema.weights);
  EXPECT_EQ(table->schema.weights->mean, 2);
  EXPECT_EQ(table->schema.weights->column, job::Column("w"));
}

TEST_F(WeightsOfTables, EqualWeightsAreOne) {
  const auto table = Read("a,w,y\n5,0.1,A\n6,0.1,B\n7,0.1,A\n");
  DL_ASSERT_OK(table);
  EXPECT_THAT(table->weights, ElementsAre(1, 1, 1));
}

TEST_F(WeightsOfTables, WrongWeightsNameRowAndColumn) {
  for (const auto& [weight, message] : {std::pair{"", "the weight is missing"},
                                        {"NA", "the weight is missing"},
                                        {"-0.5", "the weight is -0.5, which is below 0"},
                                        {"inf", "the weight of the example is not valid: "},
                                        {"-inf", "the weight of the example is not valid: "},
                                        {"1e99", "outside the range of float32"},
                                        {"much", "the weight of the example is not valid: "}}) {
    const std::string error = ErrorOf(absl::StrCat("a,w,y\n5,1,A\n6,", weight, ",B\n"));
    EXPECT_THAT(error, HasSubstr(message)) << weight;
    EXPECT_THAT(error, HasSubstr("row 3, column 2 (\"w\")")) << weight;
  }
  EXPECT_THAT(ErrorOf("a,w,y\n5,0,A\n6,0,B\n"), HasSubstr("column 2 (\"w\"): all weights are 0"));
}

TEST_F(WeightsOfTables, NaNIsNoWeight) {
  job::CsvSource source = Source("a,w,y\n5,1,A\n6,nan,B\n");
  source.missing_values.clear();
  EXPECT_THAT(ReadSource(source, {}).status(),
              IsError(kBad, "the weight of the example is not valid: "));
}

TEST_F(WeightsOfTables, ColumnHasOnlyOneUse) {
  const std::string text = "a,b,w,y\n5,1,1,A\n6,2,2,B\n";
  EXPECT_THAT(ReadSource(Source(text).ExcludeColumns({"w"}), {}).status(),
              IsError(kBad, "the column \"w\" has the weights, and exclude_columns names it too"));
  EXPECT_THAT(ReadSource(Source(text).LabelColumn("w"), {}).status(),
              IsError(kBad, "label_column names it too"));
  EXPECT_THAT(ReadSource(Source(text).WeightColumn("v"), {}).status(),
              IsError(kBad, "there is no column \"v\""));
  job::CategoricalColumns categories;
  categories.all = {"w"};
  EXPECT_THAT(ReadSource(Source(text).Categorical(categories), {}).status(),
              IsError(kBad, "categorical_columns names it too"));
}

TEST_F(WeightsOfTables, TestSetIsDividedByTheMeanOfTheTrainingSet) {
  const auto train = Read("a,w,y\n5,1,A\n6,3,B\n");
  DL_ASSERT_OK(train);
  // The source of the test set does not name the column.
  const auto source = data::Csv(folder_.Write("s.csv", "y,w,a\nA,4,1\nB,6,1\n")).LabelColumn("y");
  const auto test = ReadSource(source, {.training = &train->schema});
  DL_ASSERT_OK(test);
  EXPECT_THAT(test->weights, ElementsAre(2, 3));
  EXPECT_EQ(test->schema.weights, train->schema.weights);
}

TEST_F(WeightsOfTables, TestSetMayLackThemWithAWarning) {
  const auto train = Read("a,w,y\n5,1,A\n6,3,B\n");
  DL_ASSERT_OK(train);
  const auto source = data::Csv(folder_.Write("s.csv", "y,a\nA,1\nB,1\n")).LabelColumn("y");
  const auto test = ReadSource(source, {.training = &train->schema});
  DL_ASSERT_OK(test);
  EXPECT_FALSE(test->schema.weights);
  EXPECT_THAT(absl::StrJoin(test->warnings, "; "), HasSubstr("the examples have no weights"));
  const auto predicted = ReadSource(source, {.training = &train->schema, .uses_weights = false});
  DL_ASSERT_OK(predicted);
  EXPECT_THAT(predicted->warnings, IsEmpty()) << "predictions need none";
}

TEST_F(WeightsOfTables, TestSetHasNoneWithoutThoseOfTheTrainingSet) {
  const auto train =
      ReadSource(data::Csv(folder_.Write("s.csv", "a,y\n1,A\n2,B\n")).LabelColumn("y"), {});
  DL_ASSERT_OK(train);
  EXPECT_THAT(Read("a,w,y\n5,1,A\n6,3,B\n", {.training = &train->schema}).status(),
              IsError(kBad, "its examples have weights, those of the training split have none"));
}

TEST_F(WeightsOfTables, TableWithoutLabelsMayHaveThem) {
  const auto train = Read("a,w,y\n5,1,A\n6,3,B\n");
  DL_ASSERT_OK(train);
  for (const std::string text : {"a,w\n7,bad\n", "a\n7\n", "y,w,a\n,,7\n"}) {
    const auto table = Read(text, {.training = &train->schema, .labels = LabelColumns::kNone});
    DL_ASSERT_OK(table) << text;
    EXPECT_THAT(table->f32, ElementsAre(7)) << text;
    EXPECT_FALSE(table->schema.weights) << text;
  }
}

TEST_F(WeightsOfTables, PartsOfASplitHaveTheirOwn) {
  std::string text = "a,w,y\n";
  for (int i = 1; i <= 20; ++i)
    absl::StrAppend(&text, i, ",", i, ",", i % 2 == 0 ? "A" : "B", "\n");
  const job::SplitConfig split{.test_fraction = 0.25};
  const auto train = Read(text, {.part = SplitPart{.split = split, .part = Part::kTraining}});
  DL_ASSERT_OK(train);
  double sum = 0;
  for (size_t i = 0; i < train->weights.size(); ++i) {
    sum += static_cast<double>(train->weights[i]);
    EXPECT_NEAR(train->weights[i], train->f32[i] / train->schema.weights->mean, 1e-6);
  }
  EXPECT_NEAR(sum, 15, 1e-5);
  const auto test = Read(
      text, {.training = &train->schema, .part = SplitPart{.split = split, .part = Part::kTest}});
  DL_ASSERT_OK(test);
  ASSERT_EQ(test->weights.size(), 5u);
  EXPECT_NEAR(test->weights[0], test->f32[0] / train->schema.weights->mean, 1e-6);
}

TEST_F(WeightsOfTables, DecimalCommasAreThoseOfWeightsToo) {
  const auto table = ReadSource(data::Csv(folder_.Write("t.csv", "a;w;y\n1,5;0,5;A\n2,5;1,5;B\n"))
                                    .Separator(";")
                                    .DecimalComma()
                                    .WeightColumn("w"),
                                {});
  DL_ASSERT_OK(table);
  EXPECT_THAT(table->weights, ElementsAre(0.5f, 1.5f));
}

TEST_F(WeightsOfTables, SchemaComesBackFromItsJson) {
  const auto table = Read("a,w,y\n5,1,A\n6,0.2,B\n");
  DL_ASSERT_OK(table);
  const Json json = SchemaToJson(table->schema);
  EXPECT_EQ(json.at("weights").value("column", ""), "w");
  const auto schema = SchemaFromJson(json, "schema");
  DL_ASSERT_OK(schema);
  EXPECT_EQ(*schema, table->schema);
  for (const char* wrong :
       {R"({"mean":0})", R"({"mean":-1})", R"({"column":"w"})", R"({"mean":1,"column":["a","b"]})",
        R"({"mean":1,"kolumn":"w"})", R"({"mean":1,"column":-1})"}) {
    Json bad = json;
    bad["weights"] = Json::parse(wrong);
    EXPECT_FALSE(SchemaFromJson(bad, "schema").ok()) << wrong;
  }
}

TEST_F(WeightsOfTables, MinibatchesHaveThemFromBlocks) {
  const auto table = Read("a,w,y\n5,1,A\n6,0,B\n7,5,A\n8,2,B\n");
  DL_ASSERT_OK(table);
  MemoryBlocks blocks;
  const auto manifest = CutBlocks(*table, {.block_bytes = 2 * table->schema.RecordBytes()}, blocks);
  DL_ASSERT_OK(manifest);
  EXPECT_EQ(manifest->blocks.size(), 2u);
  for (const BlockInfo& ref : manifest->blocks) {
    const auto bytes = blocks.Get(ref.sha256);
    DL_ASSERT_OK(bytes);
    EXPECT_EQ((**bytes)[4], std::byte{3}) << "version";
    const auto block = Block::Decode(*bytes, manifest->schema);
    DL_ASSERT_OK(block);
    for (int64_t i = 0; i < (*block)->examples(); ++i)
      EXPECT_EQ((*block)->weights()[i], table->weights[(*block)->ids()[i]]);
    Schema plain = manifest->schema;
    plain.weights.reset();
    EXPECT_THAT(Block::Decode(*bytes, plain).status().ToString(),
                HasSubstr("differ in whether examples have lengths, weights or missing numbers"));
  }
  const auto dataset =
      Dataset::Create(*manifest, std::make_shared<DecodedBlockCache>(blocks, 1 << 20));
  DL_ASSERT_OK(dataset);
  const auto order = (*dataset)->Order({.seed = 3});
  DL_ASSERT_OK(order);
  auto reader =
      BatchReader::Create({.dataset = *dataset, .order = *order, .range = {0, 4}, .batch_size = 3});
  DL_ASSERT_OK(reader);
  std::map<float, float> weight_of;  // by feature value
  BatchBuffer buffer;
  while (*(*reader)->Next(buffer)) {
    const Minibatch& batch = buffer.batch();
    ASSERT_EQ(static_cast<int64_t>(batch.weights.size()), batch.examples);
    for (int64_t i = 0; i < batch.examples; ++i) weight_of[batch.features[i]] = batch.weights[i];
  }
  EXPECT_THAT(weight_of, ElementsAre(Pair(5, 0.5f), Pair(6, 0), Pair(7, 2.5f), Pair(8, 1)));
}

TEST_F(WeightsOfTables, BlockRefusesWrongWeights) {
  Schema schema{.feature_shape = {1}, .labels = ClassLabels{.classes = 2}};
  schema.weights.emplace();
  const std::vector<uint64_t> ids{3};
  const std::vector<int32_t> classes{1};
  const std::vector<float> features{2}, weights{-1};
  const auto encoded = EncodeBlock(schema,
                                   {.ids = ids,
                                    .weights = weights,
                                    .classes = classes,
                                    .features = std::as_bytes(std::span(features))},
                                   Compression::kNone);
  DL_ASSERT_OK(encoded);
  const auto block = Block::Decode(std::make_shared<const Bytes>(*encoded), schema);
  EXPECT_THAT(block.status(), IsError(absl::StatusCode::kDataLoss, "the weight -1"));
  EXPECT_EQ(ErrorWhere(block.status()), "byte 64");
}

class WeightsOfArrays : public testing::Test {
 protected:
  StatusOr<ExampleTable> Read(const std::string& weights) {
    const std::string path = folder_.Write("a.npz", Zip({{"x.npy", Npy("|u1", "(3, 2)", "abcdef")},
                                                         {"y.npy", Npy("|u1", "(3,)", {1, 0, 1})},
                                                         {"w.npy", weights}}));
    return ReadSource(data::Npz(path).Weights("w"), {});
  }
  test::TempFolder folder_;
};

TEST_F(WeightsOfArrays, AreDividedByMean) {
  for (const char* shape : {"(3,)", "(3, 1)"}) {
    const auto table = Read(Npy("<f8", shape, Raw(std::vector<double>{1, 0, 5})));
    DL_ASSERT_OK(table);
    EXPECT_THAT(table->weights, ElementsAre(0.5f, 0, 2.5f));
  }
}

TEST_F(WeightsOfArrays, PartsOfASplitHaveTheirOwn) {
  std::string rows, labels;
  std::vector<double> weights;
  for (int i = 1; i <= 20; ++i) {
    rows.push_back(static_cast<char>(i));
    labels.push_back(static_cast<char>(i % 2));
    weights.push_back(i);
  }
  const auto source =
      data::Npz(folder_.Write("s.npz", Zip({{"x.npy", Npy("|u1", "(20, 1)", rows)},
                                            {"y.npy", Npy("|u1", "(20,)", labels)},
                                            {"w.npy", Npy("<f8", "(20,)", Raw(weights))}})))
          .Weights("w");
  const SplitPart part{.split = {.test_fraction = 0.25}, .part = Part::kTraining};
  const auto train = ReadSource(source, {.part = part});
  DL_ASSERT_OK(train);
  ASSERT_EQ(train->weights.size(), 15u);
  for (size_t i = 0; i < train->weights.size(); ++i)
    EXPECT_NEAR(train->weights[i], train->u8[i] / train->schema.weights->mean, 1e-6);
}

TEST_F(WeightsOfArrays, LieInFilesOfTheirOwn) {
  const auto source = data::Npy(folder_.Write("x.npy", Npy("|u1", "(2, 2)", "abcd")),
                                folder_.Write("y.npy", Npy("|u1", "(2,)", {1, 0})))
                          .Weights(folder_.Write("w.npy", Npy("|u1", "(2,)", {1, 3})));
  const auto table = ReadSource(source, {});
  DL_ASSERT_OK(table);
  EXPECT_THAT(table->weights, ElementsAre(0.5f, 1.5f));
}

TEST_F(WeightsOfArrays, WrongValuesAndShapesAreErrors) {
  const auto of = [&](std::vector<double> values, const char* shape = "(3,)") {
    return Read(Npy("<f8", shape, Raw(values))).status();
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double wrong : {-1.0, nan, std::numeric_limits<double>::infinity(), 1e99}) {
    const Status status = of({1, wrong, 1});
    EXPECT_THAT(std::string(status.message()), HasSubstr("not a finite number of at least 0"));
    EXPECT_THAT(std::string(status.message()), HasSubstr("value 1 "));
    EXPECT_THAT(ErrorWhere(status), HasSubstr("w.npy"));
  }
  EXPECT_THAT(std::string(of({0, 0, 0}).message()), HasSubstr("all weights are 0"));
  EXPECT_THAT(std::string(of({1, 1}, "(2,)").message()),
              HasSubstr("has 2 rows of 1 weights, and there are 3 examples"));
  EXPECT_FALSE(of({1, 1, 1, 1, 1, 1}, "(3, 2)").ok());
}

class WeightsOfBareTables : public TableGuess {};

TEST_F(WeightsOfBareTables, FlagNamesTheColumn) {
  EXPECT_THAT(Guess("a,w,y\n1.5,2,A\n2.5,1,B\n3.5,4,A\n", {.hints = {.weights = "w"}}),
              HasSubstr("w numbers weights"));
  EXPECT_EQ(source_.weight_column, job::Column("w"));
  EXPECT_THAT(schema_.feature_names(), ElementsAre("a"));
  EXPECT_THAT(Guess("a,w,y\n1,2,A\n2,1,B\n", {.hints = {.label = "w", .weights = "w"}}),
              HasSubstr("is the label, and --example-weights names it"));
  EXPECT_THAT(Guess("a,w,y\n1,2,A\n2,1,B\n", {.hints = {.weights = "w", .drop = {"w"}}}),
              HasSubstr("has the weights, and another flag names it"));
  EXPECT_THAT(Guess("a,w,y\n1,2,A\n2,1,B\n", {.hints = {.weights = "v"}}),
              HasSubstr("--example-weights: there is no column \"v\""));
}

TEST_F(WeightsOfBareTables, LastColumnMayHaveThem) {
  EXPECT_THAT(Guess("a,c,w\n1.5,A,2\n2.5,B,1\n3.5,A,4\n", {.hints = {.weights = "w"}}),
              HasSubstr("c classes label; w numbers weights"));
}

TEST_F(WeightsOfBareTables, TableForAModelHasThemByTheirName) {
  ASSERT_THAT(Guess("a,w,y\n1.5,2,A\n2.5,1,B\n3.5,4,A\n", {.hints = {.weights = "w"}}),
              Not(HasSubstr("error")));
  const Schema model = schema_;
  const TableGuessOptions options{.known = &model};
  EXPECT_THAT(Guess("w,y,b,a\n2,A,1,1.5\n1,B,1,2.5\n", options), HasSubstr("w numbers weights"));
  EXPECT_TRUE(schema_.weights);
  EXPECT_THAT(Guess("y,a\nA,1.5\nB,2.5\n", options), Not(HasSubstr("error")));
  EXPECT_FALSE(schema_.weights);
  const std::string told = Guess("w,a\nnone,1.5\nx,2.5\n", options);
  EXPECT_THAT(told, HasSubstr("without labels"));
  EXPECT_THAT(told, Not(HasSubstr("the training set does not have"))) << "it has w";
}

TEST_F(WeightsOfBareTables, TableForAModelWithoutNamesHasThemByTheirPlace) {
  ASSERT_THAT(Guess("1.5,2,A\n2.5,1,B\n3.5,4,A\n", {.hints = {.weights = "1"}}),
              HasSubstr("[1] numbers weights"));
  const Schema model = schema_;
  EXPECT_EQ(model.weights->column, job::Column(int64_t{1}));
  const TableGuessOptions options{.known = &model};
  EXPECT_THAT(Guess("1.5,2,A\n2.5,1,B\n", options), HasSubstr("[1] numbers weights"));
  EXPECT_THAT(Guess("1.5\n2.5\n", options), HasSubstr("without labels"));
  EXPECT_THAT(Guess("1.5,A\n2.5,B\n", options),
              HasSubstr("the training set has 1 of features, the label and the weights"));
}

}  // namespace
}  // namespace dl::dataset
