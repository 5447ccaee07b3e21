// Tests values that float32 cannot distinguish: an origin is subtracted before rounding, or a
// warning names the feature.
#include <cmath>
#include <set>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "dataset/block_cutting.h"
#include "dataset/readers/feature_rounder.h"
#include "dataset/readers/numbers.h"
#include "dataset/readers/source.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/dataset/dataset_fixtures.h"
#include "tests/unit/dataset/packed_bytes.h"

namespace dl::dataset {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Seconds since 1970, where float32 has steps of 128.
constexpr int64_t kTime = 1'700'000'000;
constexpr int kRows = 60;

class Precision : public testing::Test {
 protected:
  job::DatasetSpec Csv() {
    std::string text = "t,small,y\n";
    for (int i = 0; i < kRows; ++i) absl::StrAppend(&text, kTime + i, ",", i, ",", i % 2, "\n");
    return data::Csv(folder_.Write("t.csv", text));
  }
  job::DatasetSpec Libsvm() {
    std::string text;
    for (int i = 0; i < kRows; ++i) absl::StrAppend(&text, i % 2, " 1:", kTime + i, " 2:", i, "\n");
    return data::Libsvm(folder_.Write("t.svm", text));
  }
  template <typename T>
  job::DatasetSpec Npy(const std::string& type) {
    std::vector<T> values;
    std::string labels;
    for (int i = 0; i < kRows; ++i) {
      values.push_back(static_cast<T>(kTime + i));
      values.push_back(static_cast<T>(i));
      labels.push_back(static_cast<char>(i % 2));
    }
    return data::Npy(
        folder_.Write("x.npy",
                      test::Npy(type, absl::StrCat("(", kRows, ", 2)"), test::Raw(values))),
        folder_.Write("y.npy", test::Npy("|u1", absl::StrCat("(", kRows, ",)"), labels)));
  }
  static std::set<float> FirstFeature(const ExampleTable& table) {
    std::set<float> values;
    for (size_t i = 0; i < table.f32.size(); i += 2) values.insert(table.f32[i]);
    return values;
  }
  test::TempFolder folder_;
};

TEST_F(Precision, OriginIsSubtractedBeforeRounding) {
  for (const job::DatasetSpec& source :
       {Csv(), Libsvm(), Npy<double>("<f8"), Npy<int64_t>("<i8"), Npy<uint32_t>("<u4")}) {
    const auto table = ReadSource(source, {.may_shift = true});
    DL_ASSERT_OK(table);
    EXPECT_EQ(FirstFeature(*table).size(), kRows) << job::FormatOf(source);
    EXPECT_THAT(table->schema.origins(), ElementsAre(double{kTime}, 0)) << job::FormatOf(source);
    EXPECT_THAT(table->warnings, IsEmpty());
    EXPECT_EQ(table->f32[2], 1) << "one second after the origin";
    EXPECT_EQ(table->f32[3], 1);

    const auto schema = SchemaFromJson(SchemaToJson(table->schema), "schema");
    DL_ASSERT_OK(schema);
    EXPECT_EQ(*schema, table->schema);
    const auto test = ReadSource(source, {.training = &*schema});
    DL_ASSERT_OK(test);
    EXPECT_EQ(test->f32, table->f32) << "a test set has the training set's origins";
    EXPECT_EQ(test->schema.origins(), table->schema.origins());
  }
}

TEST_F(Precision, NormalizedFeatureKeepsAllValues) {
  const auto table = ReadSource(Csv(), {.may_shift = true});
  DL_ASSERT_OK(table);
  for (const NormalizerKind kind : {NormalizerKind::kStandardize, NormalizerKind::kMinMax}) {
    const auto normalizer = FitNormalizer(kind, *table);
    DL_ASSERT_OK(normalizer);
    const FeatureScaler scaler(table->schema, *normalizer);
    std::set<float> values;
    std::vector<float> row(2);
    for (int i = 0; i < kRows; ++i) {
      scaler.Apply(std::span(table->f32).subspan(i * 2, 2), row);
      EXPECT_FLOAT_EQ(row[0], row[1]) << "the same as the small numbers";
      values.insert(row[0]);
    }
    EXPECT_EQ(values.size(), kRows);
  }
}

TEST_F(Precision, WithoutANormalizerAWarningNamesTheFeature) {
  const auto of_csv = ReadSource(Csv());
  DL_ASSERT_OK(of_csv);
  EXPECT_THAT(of_csv->warnings,
              ElementsAre(HasSubstr("\"t\": 60 different values become 1 value when they are "
                                    "rounded to float32. Set data.normalizer to standardize")));
  EXPECT_THAT(of_csv->schema.origins(), IsEmpty());
  const auto of_npy = ReadSource(Npy<double>("<f8"));
  DL_ASSERT_OK(of_npy);
  EXPECT_THAT(of_npy->warnings, ElementsAre(HasSubstr("feature 0: 60 different values")));
}

TEST_F(Precision, ValuesThatNoOriginTellsApartAreWarnedOf) {
  std::string text = "t,y\n0.5,a\n";
  for (int i = 0; i < kRows; ++i) absl::StrAppend(&text, kTime + i, ",b\n");
  const auto table = ReadSource(data::Csv(folder_.Write("t.csv", text)), {.may_shift = true});
  DL_ASSERT_OK(table);
  EXPECT_THAT(table->warnings, ElementsAre(HasSubstr("\"t\": 61 different values become")));
}

// Values that float32 represents, and decimal fractions that stay distinct, get no origin.
TEST_F(Precision, OtherFeaturesStayAsTheyWere) {
  std::string text = "a,b,c,y\n";
  for (int i = 0; i < 2000; ++i)
    absl::StrAppend(&text, i * 4096, ",", 0.1 * i, ",", std::sqrt(i), ",", i % 2, "\n");
  const auto source = data::Csv(folder_.Write("t.csv", text));
  const auto shifted = ReadSource(source, {.may_shift = true}), plain = ReadSource(source);
  DL_ASSERT_OK(shifted);
  DL_ASSERT_OK(plain);
  EXPECT_EQ(shifted->f32, plain->f32);
  EXPECT_EQ(shifted->schema, plain->schema);
  EXPECT_THAT(shifted->schema.origins(), IsEmpty());
  EXPECT_THAT(shifted->warnings, IsEmpty());
}

TEST_F(Precision, MissingTimeIsFilledAtSamePrecision) {
  std::string text = "t,y\n,0\n";
  for (int i = 0; i < kRows; ++i) absl::StrAppend(&text, kTime + i, ",", i % 2, "\n");
  const auto table =
      ReadSource(data::Csv(folder_.Write("t.csv", text)).OnMissing(job::MissingNumber::kMean, {}),
                 {.may_shift = true});
  DL_ASSERT_OK(table);
  EXPECT_EQ(WithoutMissing(*table)[0], 29.5f);
  EXPECT_EQ(table->f32[1], 0);
}

TEST_F(Precision, ValuesThatAreNoNumbersAreErrorsOfTheArray) {
  const auto status =
      ReadSource(
          data::Npy(folder_.Write("x.npy", test::Npy("<f8", "(2, 2)",
                                                     test::Raw<double>({0.5, 1.5, NAN, 0.25}))),
                    folder_.Write("y.npy", test::Npy("|u1", "(2,)", std::string("\0\1", 2)))))
          .status();
  EXPECT_THAT(std::string(status.message()),
              testing::AllOf(HasSubstr("value 2 is out of range: it is nan"),
                             HasSubstr("value 0 of the example 1")));
  EXPECT_THAT(ErrorRemedy(status), HasSubstr("nan_to_num"));
}

// Has sources of each format whose labels float32 cannot distinguish.
class TargetPrecision : public Precision {
 protected:
  std::vector<job::DatasetSpec> Sources() {
    std::string text = "a,y\n", lines;
    std::vector<double> features, labels;
    for (int i = 0; i < kRows; ++i) {
      absl::StrAppend(&text, i, ",", kTime + i, "\n");
      absl::StrAppend(&lines, kTime + i, " 1:", i, "\n");
      features.push_back(i);
      labels.push_back(kTime + i);
    }
    const std::string shape = absl::StrCat("(", kRows, ", 1)");
    return {data::Csv(folder_.Write("n.csv", text)).LabelsAreNumbers(),
            data::Libsvm(folder_.Write("n.svm", lines)).LabelsAreNumbers(),
            data::Npy(folder_.Write("nx.npy", test::Npy("<f8", shape, test::Raw(features))),
                      folder_.Write("ny.npy", test::Npy("<f8", shape, test::Raw(labels))))
                .LabelsAreNumbers()};
  }
};

TEST_F(TargetPrecision, OriginIsSubtractedBeforeRounding) {
  for (const NormalizerKind kind : {NormalizerKind::kStandardize, NormalizerKind::kMinMax}) {
    const TargetNormalizerOptions normalizer{.kind = kind};
    for (const job::DatasetSpec& source : Sources()) {
      SCOPED_TRACE(job::FormatOf(source));
      const auto table = ReadSource(source, {.target_normalizer = &normalizer});
      DL_ASSERT_OK(table);
      EXPECT_THAT(table->warnings, IsEmpty());
      EXPECT_THAT(table->schema.target_origins(), ElementsAre(double{kTime}));
      for (int i = 0; i < kRows; ++i) EXPECT_EQ(table->targets[i], i);
      const auto schema = SchemaFromJson(SchemaToJson(table->schema), "schema");
      DL_ASSERT_OK(schema);
      EXPECT_EQ(*schema, table->schema);
      const auto test = ReadSource(source, {.training = &*schema});
      DL_ASSERT_OK(test);
      EXPECT_EQ(test->targets, table->targets) << "a test set has the training set's origins";
      EXPECT_EQ(test->schema, table->schema);
    }
  }
}

TEST_F(TargetPrecision, WarningNamesTheMissingNormalizer) {
  const TargetNormalizerOptions none,
      others{.kind = NormalizerKind::kStandardize, .scaled = {false}};
  for (const TargetNormalizerOptions* normalizer : {&none, &others}) {
    for (const job::DatasetSpec& source : Sources()) {
      const auto table = ReadSource(source, {.may_shift = true, .target_normalizer = normalizer});
      DL_ASSERT_OK(table);
      EXPECT_THAT(table->schema.target_origins(), IsEmpty());
      EXPECT_THAT(table->warnings,
                  ElementsAre(HasSubstr("the label: 60 different values become 1 value when they "
                                        "are rounded to float32. Set training.target_normalizer")));
    }
  }
}

TEST_F(Precision, ValuesNearZeroHaveARemedyThatHelps) {
  for (const char* exponent : {"e-50", "e-40"}) {
    std::string text = "a,b,y\n";
    for (int i = 0; i < kRows; ++i) absl::StrAppend(&text, i + 1, exponent, ",", i, ",0\n");
    for (const bool may_shift : {false, true}) {
      const auto table =
          ReadSource(data::Csv(folder_.Write("t.csv", text)), {.may_shift = may_shift});
      DL_ASSERT_OK(table);
      EXPECT_THAT(table->schema.origins(), IsEmpty()) << "an origin does not help";
      EXPECT_THAT(
          table->warnings,
          testing::Contains(HasSubstr(
              "\"a\": its values are too close to 0 for float32, whose smallest is 1.2e-38: "
              "60 different values become 1. Multiply its values by a power of ten")));
    }
  }
}

TEST_F(TargetPrecision, LabelsThatFloat32DistinguishesHaveNoOrigin) {
  const TargetNormalizerOptions normalizer{.kind = NormalizerKind::kStandardize};
  std::string text = "a,y\n";
  for (int i = 0; i < kRows; ++i) absl::StrAppend(&text, i, ",", 0.1 * i + 1000, "\n");
  const auto table = ReadSource(data::Csv(folder_.Write("t.csv", text)).LabelsAreNumbers(),
                                {.target_normalizer = &normalizer});
  DL_ASSERT_OK(table);
  EXPECT_THAT(table->schema.target_origins(), IsEmpty());
}

TEST_F(Precision, ClassesWithoutExamplesAreReported) {
  const auto warnings = [&](const std::string& labels) {
    const auto count = absl::StrCat("(", labels.size(), ",)");
    const auto table =
        ReadSource(data::Npy(folder_.Write("x.npy", test::Npy("|u1", count, labels)),
                             folder_.Write("y.npy", test::Npy("|u1", count, labels))));
    DL_EXPECT_OK(table);
    return table->warnings;
  };
  EXPECT_THAT(warnings(std::string("\0\1\0", 3)), IsEmpty());
  EXPECT_THAT(warnings("\1\2\1"),
              ElementsAre(HasSubstr("a class has no example: 0. The labels seem to count from 1")));
  EXPECT_THAT(warnings("\12\2"),
              ElementsAre(HasSubstr("9 of the 11 classes have no example: 0, 1, 3, 4, 5, ...")));
}

TEST_F(Precision, LabelsThatSayNothingAreReported) {
  const auto of_table = [&](const std::string& text, job::LabelType type) {
    job::CsvSource source = data::Csv(folder_.Write("t.csv", text));
    source.label_type = type;
    const auto table = ReadSource(source);
    DL_EXPECT_OK(table);
    return table.ok() ? table->warnings : std::vector<std::string>();
  };
  EXPECT_THAT(of_table("a,y\n1,3.25\n2,3.25\n", job::LabelType::kNumber),
              ElementsAre("the number to predict of all examples is 3.25: a model has nothing to "
                          "predict"));
  EXPECT_THAT(of_table("a,y\n1,3.25\n2,3.5\n", job::LabelType::kNumber), IsEmpty());
  EXPECT_THAT(of_table("a,y\n1,x\n2,x\n", job::LabelType::kClass),
              ElementsAre(HasSubstr("all labels are of one class, x")));
  EXPECT_THAT(of_table("a,y\n1,Cat\n2,cat\n3,dog\n4,dog \n", job::LabelType::kClass),
              ElementsAre("the classes \"Cat\" and \"cat\" differ in the case of letters alone"));
  std::string many = "a,y\n", names = "name,c,y\n";
  for (int i = 0; i < 30; ++i) {
    absl::StrAppend(&many, i, ",", i * 0.25, "\n");
    absl::StrAppend(&names, "n", i, ",", i % 2 == 0 ? "red" : "Red", ",", i % 3, "\n");
  }
  EXPECT_THAT(of_table(many, job::LabelType::kClass),
              ElementsAre(HasSubstr("30 classes in 30 examples: most classes have one example")));
  const auto categories = ReadSource(data::Csv(folder_.Write("t.csv", names)).FindCategorical());
  DL_ASSERT_OK(categories);
  EXPECT_THAT(categories->warnings,
              ElementsAre(HasSubstr("\"name\" has another category in each of its 30 rows"),
                          "\"c\": the categories \"Red\" and \"red\" differ in the case of letters "
                          "alone"));
  EXPECT_THAT(of_table("5.1,3.5,1.4,0.2,setosa\n4.9,3,1.4,0.2,setosa\n5,3,4,1,other\n",
                       job::LabelType::kClass),
              ElementsAre(HasSubstr("names of features are numbers, such as \"0.2\": if the file "
                                    "has no header")));
  EXPECT_THAT(of_table("950.5,952.5,954.5,y\n1,2,3,a\n3,2,1,b\n", job::LabelType::kClass),
              IsEmpty());
  const auto text = ReadSource(data::Text(folder_.Write("b.txt", "aaaaaaa"), 2));
  DL_ASSERT_OK(text);
  EXPECT_THAT(text->warnings, ElementsAre(HasSubstr("all labels are of one class, a")));
}

TEST_F(Precision, TrainingPartHasTheWarningsOfItsSource) {
  const auto source = data::Text(folder_.Write("b.txt", std::string("ab\0cabcabc", 10)), 2);
  const auto warnings = [&](Part part) {
    const auto table =
        ReadSource(source, {.part = SplitPart{.split = {.test_fraction = 0.25}, .part = part}});
    DL_EXPECT_OK(table);
    return table.ok() ? table->warnings : std::vector<std::string>();
  };
  EXPECT_THAT(warnings(Part::kTraining), ElementsAre(HasSubstr("1 of 10 tokens hold a byte 0")));
  EXPECT_THAT(warnings(Part::kTest), IsEmpty());
}

TEST_F(Precision, WholeNumbersThatDoubleDoesNotTellApartAreCounted) {
  constexpr uint64_t kBig = uint64_t{1} << 63;
  const auto warnings = [&](const std::string& descr, const std::string& values) {
    const auto table = ReadSource(
        data::Npy(folder_.Write("x.npy", test::Npy(descr, "(2, 2)", values)),
                  folder_.Write("y.npy", test::Npy("|u1", "(2,)", std::string("\0\1", 2)))));
    DL_EXPECT_OK(table);
    return table.ok() ? table->warnings : std::vector<std::string>();
  };
  EXPECT_THAT(warnings("<u8", test::Raw<uint64_t>({kBig, kBig + 1, kBig + 2048, 7})),
              testing::Contains(HasSubstr("1 value is a whole number beyond 2^53")));
  EXPECT_THAT(warnings("<i8", test::Raw<int64_t>({-(1LL << 53) - 1, 1LL << 62, 3, 4})),
              testing::Contains(HasSubstr("1 value is a whole number beyond 2^53")));
  EXPECT_THAT(warnings("<i8", test::Raw<int64_t>({1, 2, 3, 4})), IsEmpty());
}

TEST(NumberOf, RoundsOnceToFloat32) {
  // As a double it is halfway between two float32; as written it is slightly more.
  const auto number = NumberOf("1.00000005960464477540");
  DL_ASSERT_OK(number);
  EXPECT_EQ(number->nearest, std::nextafter(1.0f, 2.0f));
  EXPECT_EQ(NumberOf("+1700000001")->value, 1700000001);
  EXPECT_FALSE(NumberOf("1e39").ok());
  EXPECT_EQ(NumberOf("-1e-60")->nearest, 0) << "as close as float32 comes";
  EXPECT_FALSE(NumberOf("1x").ok());
  EXPECT_FALSE(NumberOf("").ok());
  EXPECT_FALSE(NumberOf("nan").ok());
}

}  // namespace
}  // namespace dl::dataset
