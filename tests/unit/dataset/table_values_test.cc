// Tests tables whose values are not all numbers: categories, missing values, columns that are
// named.
#include <cmath>
#include <limits>
#include <string>

#include "base/json.h"
#include "dataset/block_cutting.h"
#include "dataset/readers/source.h"
#include "dataset/readers/table/csv_reader.h"
#include "dataset/readers/table/table_guess.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/dataset/csv_tables.h"
#include "tests/unit/dataset/dataset_fixtures.h"

namespace dl::dataset {
namespace {

using test::IsError;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::NanSensitiveFloatEq;
using Floats = std::vector<float>;

constexpr auto kBadValue = absl::StatusCode::kInvalidArgument;

job::CsvSource Filled() {
  return job::CsvSource().FindCategorical().OnMissing(job::MissingNumber::kMean,
                                                      job::MissingCategory::kOwnClass);
}

class TableValues : public CsvTables {};

TEST_F(TableValues, CategoriesAreOneHotInTheOrderOfTheirBytes) {
  const auto table =
      Read("a,b,k\nred,1,x\nblue,2,y\nred,3,x\n", job::CsvSource().Categorical({"a"}));
  DL_ASSERT_OK(table);
  EXPECT_EQ(table->f32, (Floats{0, 1, 1, 1, 0, 2, 0, 1, 3}));
  EXPECT_THAT(table->schema.feature_names(), ElementsAre("a=blue", "a=red", "b"));
  EXPECT_EQ(table->schema.feature_shape, (std::vector<int64_t>{3}));
  EXPECT_THAT(table->schema.columns()[0].categories, ElementsAre("blue", "red"));
}

TEST_F(TableValues, CategoryBecomesIndex) {
  const auto table = Read(
      "red,1,x\nblue,2,y\n",
      job::CsvSource().NoHeader().Categorical({0}).CategoriesAs(job::CategoryEncoding::kIndex));
  DL_ASSERT_OK(table);
  EXPECT_EQ(table->f32, (Floats{1, 1, 0, 2}));
  EXPECT_TRUE(table->schema.feature_names().empty());
}

TEST_F(TableValues, AutomaticallyWhatBeginsWithNoNumber) {
  const Schema schema = Training("a,b,c,k\n,1,x1,p\nred,2,7,q\n1,3,7,p\n", Filled());
  ASSERT_EQ(schema.columns().size(), 3u);
  EXPECT_THAT(schema.columns()[0].categories, ElementsAre("", "1", "red"))
      << "the first is missing";
  EXPECT_TRUE(schema.columns()[1].IsNumber());
  EXPECT_THAT(schema.columns()[2].categories, ElementsAre("7", "x1"));
  // A word after numbers is a mistake in the table.
  EXPECT_THAT(Read("a,b,k\n1,2,p\n1,10+,q\n", job::CsvSource().FindCategorical()).status(),
              IsError(kBadValue, "row 3, column 2 (\"b\"): \"10+\" is not a plain number"));
}

TEST_F(TableValues, MissingValuesAreFilled) {
  const auto table = Read(kAnimals, Filled());
  DL_ASSERT_OK(table);
  // animal: missing, cat, dog, eel; weight: the mean of 12, 4, 8, 4; home: missing, garden, house.
  EXPECT_EQ(WithoutMissing(*table), (Floats{0, 0, 1, 0, 12, 0, 1, 0,  //
                                            0, 1, 0, 0, 4,  0, 0, 1,  //
                                            0, 0, 1, 0, 7,  0, 0, 1,  //
                                            1, 0, 0, 0, 8,  0, 0, 1,  //
                                            0, 0, 0, 1, 4,  1, 0, 0}));
  EXPECT_THAT(table->schema.feature_names(),
              ElementsAre("animal=", "animal=cat", "animal=dog", "animal=eel", "weight",
                          "home=", "home=garden", "home=house"));
  const auto frequent = Read(kAnimals, job::CsvSource()
                                           .FindCategorical()
                                           .CategoriesAs(job::CategoryEncoding::kIndex)
                                           .OnMissing(job::MissingNumber::kMostFrequent,
                                                      job::MissingCategory::kMostFrequent));
  DL_ASSERT_OK(frequent);
  // cat dog eel, garden house.
  EXPECT_EQ(WithoutMissing(*frequent), (Floats{1, 12, 0, 0, 4, 1, 1, 4, 1, 1, 8, 1, 2, 4, 1}));
}

// The stored examples show which numbers are missing. The model reads what replaces them.
TEST_F(TableValues, MissingNumbersAreStoredAsNan) {
  const auto source = job::CsvSource().OnMissing(job::MissingNumber::kMean, {});
  const auto table = Read("a,b,k\n1,2,x\n,4,y\n4,,x\n1,3,y\n", source);
  DL_ASSERT_OK(table);
  EXPECT_THAT(table->f32,
              ElementsAre(1, 2, NanSensitiveFloatEq(NAN), 4, 4, NanSensitiveFloatEq(NAN), 1, 3));
  DL_EXPECT_OK(ValidateTable(*table));
  for (const auto kind :
       {NormalizerKind::kNone, NormalizerKind::kStandardize, NormalizerKind::kMinMax}) {
    // The same table with the numbers in place gives the same normalizer and features.
    ExampleTable full = *table;
    full.f32 = WithoutMissing(*table);
    EXPECT_EQ(full.f32, (Floats{1, 2, 2, 4, 4, 3, 1, 3}));
    const auto of_full = FitNormalizer(kind, full), fitted = FitNormalizer(kind, *table);
    DL_ASSERT_OK(fitted);
    DL_ASSERT_OK(of_full);
    EXPECT_EQ(*fitted, *of_full);
    const FeatureScaler scaler(table->schema, *fitted);
    Floats row(2), of_number(2);
    scaler.Apply(std::span<const float>(table->f32).subspan(2, 2), row);
    scaler.Apply(std::span<const float>(full.f32).subspan(2, 2), of_number);
    EXPECT_EQ(row, of_number);
  }
  ExampleTable wrong = *table;
  wrong.schema.floats().columns[0].fill_number.reset();
  EXPECT_THAT(ValidateTable(wrong), IsError(kBadValue, "a feature is not a finite number"));
}

TEST_F(TableValues, EachNumberOfALongTableIsChecked) {
  constexpr size_t kRows = 2000;
  ExampleTable table{.schema = {.feature_shape = {2}, .features = FloatFeatures{}},
                     .examples = kRows};
  table.f32.assign(2 * kRows, std::numeric_limits<float>::max());
  table.schema.labels = NoLabels{};
  DL_EXPECT_OK(ValidateTable(table));
  for (const size_t at : {size_t{0}, size_t{1023}, size_t{1024}, 2 * kRows - 1}) {
    for (const float value : {NAN, HUGE_VALF, -HUGE_VALF}) {
      ExampleTable wrong = table;
      wrong.f32[at] = value;
      EXPECT_EQ(ErrorWhere(ValidateTable(wrong)),
                "example " + std::to_string(at / 2) + ", feature " + std::to_string(at % 2));
    }
  }
}

TEST_F(TableValues, MissingValuesAreErrorsByDefault) {
  const auto numbers = job::CsvSource().OnMissing(job::MissingNumber::kMean, {});
  EXPECT_THAT(Read("a,b,k\n1,2,x\n3,NA,y\n", {}).status(),
              IsError(kBadValue, "row 3, column 2 (\"b\"): a value is missing"));
  EXPECT_THAT(ErrorRemedy(Read("a,b,k\n1,,x\n", {}).status()), HasSubstr("missing_number"));
  DL_EXPECT_OK(Read("a,b,k\n1,2,x\n3,NA,y\n", numbers));
  EXPECT_THAT(Read(kAnimals, job::CsvSource(numbers).FindCategorical()).status(),
              IsError(kBadValue, "row 5, column 1 (\"animal\"): a value is missing"));
  EXPECT_THAT(Read("a,b,k\n1,2,\n", numbers).status(), IsError(kBadValue, "the label is missing"));
  EXPECT_THAT(Read("a,b,k\n1,?,x\n2,?,y\n", numbers).status(),
              IsError(kBadValue, "column 2 (\"b\"): every value of the column is missing"));
}

// Words in a column of numbers do not count as missing numbers.
TEST_F(TableValues, WordsAmongNumbersAreReported) {
  for (const auto missing :
       {job::MissingNumber::kError, job::MissingNumber::kMean, job::MissingNumber::kMostFrequent}) {
    const Status status =
        Read("a,b,k\n1,red,x\n2,blue,y\n", job::CsvSource().OnMissing(missing, {})).status();
    EXPECT_THAT(status, IsError(kBadValue, "row 2, column 2 (\"b\"): \"red\" is not a number"));
    EXPECT_THAT(ErrorRemedy(status), HasSubstr("categorical_columns"));
  }
}

TEST_F(TableValues, WhichTextsMeanThatAValueIsMissing) {
  auto source = job::CsvSource().OnMissing(job::MissingNumber::kMean, {}).MissingValues({"-9"});
  const auto table = Read("a,b,k\n-9,1,x\n3,2,y\n,2,y\n", source);
  DL_ASSERT_OK(table);
  EXPECT_EQ(WithoutMissing(*table), (Floats{3, 1, 3, 2, 3, 2}));
  EXPECT_THAT(Read("a,b,k\n1,1,x\n?,1,x\n", source).status(),
              IsError(kBadValue, "\"?\" is not a number"));
  // NA is a country here and not a missing value.
  const Schema schema = Training("land,b,k\nNA,1,x\nZA,2,y\n",
                                 job::CsvSource().Categorical({"land"}).MissingValues({}));
  EXPECT_THAT(schema.columns()[0].categories, ElementsAre("NA", "ZA"));
}

TEST_F(TableValues, TestColumnOfAnotherKindIsRefused) {
  const Schema numbers = Training("t,k\n2020,a\n2021,b\n", {});
  EXPECT_THAT(Read("t,k\n2020,a\n", job::CsvSource().Dates({"t"}), &numbers).status(),
              IsError(kBadValue, "is read in another way in the training split"));
  EXPECT_THAT(Read("t,k\n2020,a\n", job::CsvSource().Categorical({"t"}), &numbers).status(),
              IsError(kBadValue, "holds numbers in the training split"));
  const Schema days = Training("t,k\n2020-01-01,a\n2021-01-01,b\n", job::CsvSource().Dates({"t"}));
  DL_EXPECT_OK(Read("t,k\n2020-01-01,a\n", job::CsvSource().Dates({"t"}), &days));
  EXPECT_THAT(Read("t,k\n2020-01-01,a\n", job::CsvSource().DateParts({"t"}), &days).status(),
              IsError(kBadValue, "is read in another way in the training split"));
}

// The values of a test set are interpreted as in the training set.
TEST_F(TableValues, TestSetUsesValuesOfTrainingSet) {
  const Schema training = Training(kAnimals, Filled());
  const auto test = Read("animal,weight,home,kind\ncow,?,NA,b\n", {}, &training);
  DL_ASSERT_OK(test);
  EXPECT_EQ(WithoutMissing(*test), (Floats{0, 0, 0, 0, 7, 1, 0, 0}))
      << "an unknown category, and fill-ins";
  EXPECT_EQ(test->schema, training);
  // A number in a column that has words in the training set.
  EXPECT_EQ(Read("animal,weight,home,kind\n12,1,house,a\n", Filled(), &training)->f32,
            (Floats{0, 0, 0, 0, 1, 0, 0, 1}));
  auto index = Filled().CategoriesAs(job::CategoryEncoding::kIndex);
  const Schema by_number = Training(kAnimals, index);
  EXPECT_EQ(Read("animal,weight,home,kind\ncow,1,house,a\n", {}, &by_number)->f32,
            (Floats{4, 1, 2}))
      << "the number behind the last one";
  const Schema strict =
      Training(kAnimals, Filled().OnUnknownCategory(job::UnknownCategory::kError));
  const Status unknown = Read("animal,weight,home,kind\ncow,1,house,a\n", {}, &strict).status();
  EXPECT_THAT(unknown, IsError(kBadValue,
                               "row 2, column 1 (\"animal\"): the training set has no "
                               "category \"cow\""));
  EXPECT_THAT(ErrorRemedy(unknown), AllOf(HasSubstr("cat, dog"), HasSubstr("unknown_category")));
}

TEST_F(TableValues, TestSetOfOtherColumnsIsRefused) {
  const Schema training = Training(kAnimals, Filled());
  EXPECT_THAT(Read("animal,home,kind\ndog,house,a\n", {}, &training).status(),
              IsError(kBadValue, "it lacks the column \"weight\" of the training set"));
  EXPECT_THAT(Read("beast,weight,home,kind\ndog,1,house,a\n", {}, &training).status(),
              IsError(kBadValue,
                      "it lacks the column \"animal\" of the training set, but also "
                      "has \"beast\""));
  EXPECT_THAT(Read("animal,weight,home,id,kind\ndog,1,house,7,a\n", {}, &training).status(),
              IsError(kBadValue, "the training split has no column \"id\""));
  EXPECT_THAT(Read("dog,1,house,a\n", job::CsvSource().NoHeader(), &training).status(),
              IsError(kBadValue, "its columns have no names"));
  EXPECT_THAT(Read("animal,weight,home,kind\ndog,1,house,a\n",
                   job::CsvSource().Categorical({"weight"}), &training)
                  .status(),
              IsError(kBadValue, "the column holds numbers in the training split"));
}

// The training set has no missing value in this column, so a missing value is an unknown category.
TEST_F(TableValues, MissingCategoryUnknownToTraining) {
  const Schema training = Training("a,b,k\nx,1,p\ny,2,q\n", Filled());
  EXPECT_EQ(WithoutMissing(*Read("a,b,k\n?,?,p\n", {}, &training)), (Floats{0, 0, 1.5f}));
  const Schema strict =
      Training("a,b,k\nx,1,p\ny,2,q\n", Filled().OnUnknownCategory(job::UnknownCategory::kError));
  EXPECT_THAT(
      Read("a,b,k\n?,1,p\n", {}, &strict).status(),
      IsError(kBadValue, "a value is missing, but no value is missing in the training set"));
}

TEST_F(TableValues, PlainNumbersAreWhatTheyWere) {
  const std::string text = "a,b,k\n1,2,x\n3,4,y\n";
  const Schema plain = Training(text, {}),
               automatic = Training(text, job::CsvSource().FindCategorical());
  EXPECT_EQ(plain, automatic);
  EXPECT_TRUE(plain.columns().empty());
}

TEST_F(TableValues, CategoriesAreNotNormalized) {
  const auto table = Read(kAnimals, Filled());
  DL_ASSERT_OK(table);
  for (const auto kind : {NormalizerKind::kStandardize, NormalizerKind::kMinMax}) {
    MemoryBlocks blocks;
    const auto manifest = CutBlocks(*table, {.normalizer = kind}, blocks);
    DL_ASSERT_OK(manifest);
    Floats row(8);
    FeatureScaler(manifest->schema, manifest->normalizer)
        .Apply(std::span<const float>(table->f32).first(8), row);
    EXPECT_EQ((Floats{row.begin(), row.begin() + 4}), (Floats{0, 0, 1, 0}));
    EXPECT_NE(row[4], 12) << "the weight is";
    EXPECT_EQ((Floats{row.begin() + 5, row.end()}), (Floats{0, 1, 0}));
    const auto again = ManifestFromJson(ManifestToJson(*manifest), "m");
    DL_ASSERT_OK(again);
    EXPECT_EQ(*again, *manifest);
  }
}

TEST_F(TableValues, SeveralNumbersToPredict) {
  const auto table = Read("y,a,z,b\n1,2,3,4\n5,6,7,8\n", job::CsvSource().TargetColumns({"z", 0}));
  DL_ASSERT_OK(table);
  EXPECT_EQ(table->targets, (Floats{3, 1, 7, 5}));
  EXPECT_EQ(table->f32, (Floats{2, 4, 6, 8}));
  EXPECT_EQ(table->schema.target_size(), 2);
  EXPECT_THAT(table->schema.feature_names(), ElementsAre("a", "b"));
  EXPECT_THAT(Read("y,a,z\n1,2,x\n", job::CsvSource().TargetColumns({"y", "z"})).status(),
              IsError(kBadValue, "row 2, column 3 (\"z\"): \"x\" is not a number"));
}

TEST_F(TableValues, ColumnsThatAreLeftOut) {
  const auto table =
      Read("id,a,note,k\n\xff,1,,x\nA7,2,hm,y\n", job::CsvSource().ExcludeColumns({"id", -2}));
  DL_ASSERT_OK(table);
  EXPECT_EQ(table->f32, (Floats{1, 2}));
  EXPECT_THAT(table->schema.feature_names(), ElementsAre("a"));
}

TEST_F(TableValues, ColumnsThatDoNotFit) {
  const std::string text = "number,a,b,k\n1,2,3,x\n";
  const auto said = [&](const job::CsvSource& source) { return Read(text, source).status(); };
  EXPECT_THAT(said(job::CsvSource().ExcludeColumns({"nubmer"})),
              IsError(kBadValue, "there is no column \"nubmer\"; did you mean \"number\"?"));
  EXPECT_THAT(said(job::CsvSource().ExcludeColumns({4})), IsError(kBadValue, "no column 4"));
  EXPECT_THAT(said(job::CsvSource().ExcludeColumns({"number", 0})),
              IsError(kBadValue, "names the column \"number\" twice"));
  EXPECT_THAT(said(job::CsvSource().ExcludeColumns({"k"})), IsError(kBadValue, "is the label"));
  EXPECT_THAT(said(job::CsvSource().Categorical({-1})), IsError(kBadValue, "which is the label"));
  EXPECT_THAT(said(job::CsvSource().Categorical({"a"}).ExcludeColumns({1})),
              IsError(kBadValue, "which is left out"));
  EXPECT_THAT(said(job::CsvSource().ExcludeColumns({0, 1, 2})),
              IsError(kBadValue, "no column is left"));
}

TEST_F(TableValues, CommentsAndSuffixes) {
  const auto table =
      Read("|1x3 Cross validator\n\n39, State-gov, <=50K.\n|,\n50, Private, >50K\n",
           job::CsvSource().NoHeader().Comment("|").Categorical({1}).LabelSuffix("."));
  DL_ASSERT_OK(table);
  EXPECT_THAT(table->schema.class_names(), ElementsAre("<=50K", ">50K"));
  EXPECT_THAT(table->schema.columns()[1].categories, ElementsAre("Private", "State-gov"));
  const Status status =
      Read("# one\na,k\n# two\n1,x\n#\n3,\n", job::CsvSource().Comment("#")).status();
  EXPECT_THAT(status, IsError(kBadValue, "t.csv:6"));
}

// After the first MiB a file is read in pieces, whose borders are also inside comments.
TEST_F(TableValues, CommentsOfEveryLength) {
  std::string text = "a,k\n";
  for (int i = 0; i < 2000; ++i)
    text += "#" + std::string(static_cast<size_t>(i) % 3001, ',') + "\r\n1,x\n#\n2,y\n";
  const auto table = Read(text, job::CsvSource().Comment("#"));
  DL_ASSERT_OK(table);
  EXPECT_EQ(table->examples, 4000);
}

TEST_F(TableValues, VocabularyIsLimited) {
  std::string text = "id,k\n";
  for (int i = 0; i < 70'000; ++i) text += "x" + std::to_string(i) + ",a\n";
  const Status status = Read(text, job::CsvSource().FindCategorical()).status();
  EXPECT_THAT(status,
              IsError(kBadValue, "column 1 (\"id\"): the column has more than 65536 categories"));
  EXPECT_THAT(ErrorRemedy(status), HasSubstr("exclude_columns"));
  text = "id,k\n";
  for (int i = 0; i < 2'100; ++i) text += std::string(4000, 'x') + std::to_string(i) + ",a\n";
  EXPECT_THAT(Read(text, job::CsvSource().FindCategorical()).status(),
              IsError(kBadValue, "categories, which is the limit"));
  EXPECT_THAT(Read("a,b,k\n\xff,1,x\n", job::CsvSource().Categorical({"a"})).status(),
              IsError(kBadValue, "the category is not UTF-8"));
}

TEST_F(TableValues, GuessesColumns) {
  const auto guessed = GuessTable(folder_.Write("pets.csv", kAnimals));
  DL_ASSERT_OK(guessed);
  job::CsvSource expected = Filled().Categorical({"animal", "home"});
  expected.path = folder_ / "pets.csv";
  EXPECT_EQ(guessed->source, expected);
  const auto plain = GuessTable(folder_.Write("n.csv", "a,b,k\n1,2,x\n3,4,y\n"));
  DL_ASSERT_OK(plain);
  EXPECT_EQ(plain->source, job::CsvSource{.path = folder_ / "n.csv"}) << "as before";
}

// Models of earlier builds do not store the name of their label.
TEST_F(TableValues, LabelIsUnknownColumn) {
  const Schema known{.feature_shape = {2},
                     .features = FloatFeatures{.names = {"a", "b"}},
                     .labels = ClassLabels{.classes = 1}};
  const std::string first = folder_.Write("first.csv", "k,a,b\n1.5,1,2\nx,3,4\n");
  const auto guessed = GuessTable(first, {.known = &known});
  DL_ASSERT_OK(guessed);
  EXPECT_EQ(guessed->source, job::CsvSource({.path = first}).LabelColumn("k"));
  EXPECT_TRUE(guessed->has_labels);
  const auto without = GuessTable(folder_.Write("other.csv", "b,a\n1,2\n"), {.known = &known});
  DL_ASSERT_OK(without);
  EXPECT_FALSE(without->has_labels);
}

TEST_F(TableValues, HostileColumnsOfASchemaAreErrors) {
  const Json good = SchemaToJson(Training(kAnimals, Filled()));
  DL_ASSERT_OK(SchemaFromJson(good, "schema"));
  const auto refused = [&](auto change) {
    Json json = good;
    change(json["columns"]);
    return !SchemaFromJson(json, "schema").ok();
  };
  EXPECT_TRUE(refused([](Json& c) { c = 3; }));
  EXPECT_TRUE(refused([](Json& c) { c = Json::array({Json::object()}); })) << "another width";
  EXPECT_TRUE(refused([](Json& c) { c[0] = 3; }));
  EXPECT_TRUE(refused([](Json& c) { c[0]["categories"] = {"b", "a", "c", "d"}; }));
  EXPECT_TRUE(refused([](Json& c) { c[0]["categories"] = {"a", "a", "c", "d"}; }));
  EXPECT_TRUE(refused([](Json& c) { c[0]["categories"] = Json::array(); }));
  EXPECT_TRUE(refused([](Json& c) { c[0]["fill"] = "cow"; }));
  EXPECT_TRUE(refused([](Json& c) { c[0]["fill"] = 3; }));
  EXPECT_TRUE(refused([](Json& c) { c[1]["fill"] = "cow"; }));
  EXPECT_TRUE(refused([](Json& c) { c[1]["fill"] = 1e300; }));
  EXPECT_TRUE(refused([](Json& c) { c[1]["categories"] = {"a"}; }));
  EXPECT_TRUE(refused([](Json& c) { c[0]["encoding"] = "hash"; }));
  EXPECT_TRUE(refused([](Json& c) { c[0]["surprise"] = 1; }));
}

}  // namespace
}  // namespace dl::dataset
