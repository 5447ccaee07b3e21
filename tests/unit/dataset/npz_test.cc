#include "absl/strings/str_cat.h"
#include "base/philox.h"
#include "dataset/readers/array/npz_guess.h"
#include "dataset/readers/array/npz_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "job/dataset_spec.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/dataset/packed_bytes.h"

namespace dl::dataset {
namespace {

using test::IsError;
using test::Npy;
using test::Zip;
using ::testing::HasSubstr;

const std::string kTwoLabels = Npy("|u1", "(2,)", {1, 0});

class NpzTest : public testing::Test {
 protected:
  StatusOr<ExampleTable> Read(const std::string& archive, job::NpzSource source = {}) {
    source.path = folder_.Write("a.npz", archive);
    return ReadNpz(source);
  }
  const std::string features_ = Npy("|u1", "(2, 2)", "abcd");
  test::TempFolder folder_;
};

TEST_F(NpzTest, ArraysByTheirNames) {
  for (const bool deflated : {false, true}) {
    const auto table = Read(Zip({{"y.npy", kTwoLabels}, {"x.npy", features_}}, deflated));
    DL_ASSERT_OK(table);
    EXPECT_EQ(std::string(table->u8.begin(), table->u8.end()), "abcd");
    EXPECT_EQ(table->classes, (std::vector<int32_t>{1, 0}));
    DL_EXPECT_OK(Read(Zip({{"x_train.npy", features_}, {"y_train.npy", kTwoLabels}}, deflated),
                      job::NpzSource().Arrays("x_train", "y_train")));
  }
  const Status missing = Read(Zip({{"x1.npy", features_}, {"y.npy", kTwoLabels}})).status();
  EXPECT_THAT(missing, IsError(absl::StatusCode::kInvalidArgument, "the archive has no x.npy"));
  EXPECT_THAT(ErrorRemedy(missing), HasSubstr("x1.npy, y.npy"));
  EXPECT_EQ(ErrorWhere(missing), folder_ / "a.npz");
}

TEST_F(NpzTest, SeveralArchives) {
  folder_.Write("1.npz", Zip({{"x.npy", features_}, {"y.npy", kTwoLabels}}));
  folder_.Write("2.npz", Zip({{"x.npy", features_}, {"y.npy", kTwoLabels}}, true));
  const auto table = ReadNpz(data::Npz(folder_ / "?.npz"));
  DL_ASSERT_OK(table);
  EXPECT_EQ(table->examples, 4);
}

TEST_F(NpzTest, DamageNamesFileAndEntry) {
  const std::string whole = Zip({{"x.npy", features_}, {"y.npy", kTwoLabels}}, true);
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(Read(whole.substr(0, size)).ok()) << size;
  const Status short_array =
      Read(Zip({{"x.npy", Npy("|u1", "(2, 2)", "abc")}, {"y.npy", kTwoLabels}})).status();
  EXPECT_THAT(short_array, IsError(absl::StatusCode::kDataLoss, "too early"));
  EXPECT_THAT(ErrorWhere(short_array), HasSubstr("a.npz, x.npy at byte"));
  EXPECT_THAT(Read(features_).status(), IsError(absl::StatusCode::kInvalidArgument, "NumPy"));
  EXPECT_THAT(Read("x,y\n1,2\n").status(),
              IsError(absl::StatusCode::kDataLoss, "is not a zip archive"));
  EXPECT_THAT(Read("").status(), IsError(absl::StatusCode::kDataLoss, "is not a zip archive"));
  std::string damaged = Zip({{"x.npy", features_}, {"y.npy", kTwoLabels}});
  damaged[damaged.find("abcd")] = 'A';
  EXPECT_THAT(Read(damaged).status(), IsError(absl::StatusCode::kDataLoss, "cannot be unpacked"));
  RandomStream random({.seed = 13});
  for (int i = 0; i < 1000; ++i) {
    std::string bad = whole;
    for (int k = 0; k < 3; ++k)
      bad[random.Bounded(bad.size())] = static_cast<char>(random.Bounded(256));
    const auto table = Read(bad);
    if (table.ok()) {
      DL_EXPECT_OK(ValidateTable(*table));
    }
  }
}

// An entry that decompresses to far more than its array declares.
TEST_F(NpzTest, BombEndsAtEndOfArray) {
  const std::string bomb = features_ + std::string(256 << 20, '\0');
  const std::string archive = Zip({{"x.npy", bomb}, {"y.npy", kTwoLabels}}, true);
  ASSERT_LT(archive.size(), 1u << 20);
  EXPECT_THAT(Read(archive).status(), IsError(absl::StatusCode::kDataLoss, "continues after"));
}

TEST_F(NpzTest, GuessFindsUsualNamesAndLooksAtAllLabels) {
  const auto guess = [&](const std::string& x, const std::string& y, const std::string& labels) {
    return *GuessNpz(folder_.Write("g.npz", Zip({{x + ".npy", features_}, {y + ".npy", labels}})));
  };
  const GuessedNpz plain = guess("x", "y", kTwoLabels);
  EXPECT_EQ(plain.source.label_type, job::LabelType::kClass);
  EXPECT_TRUE(plain.label_notes.empty());
  EXPECT_TRUE(plain.notes.empty());
  EXPECT_EQ(guess("X", "Y", kTwoLabels).source.feature_array, "X");
  EXPECT_EQ(guess("data", "target", kTwoLabels).source.label_array, "target");
  EXPECT_EQ(guess("arr_0", "arr_1", kTwoLabels).source.label_array, "arr_1");
  EXPECT_EQ(guess("a", "b", kTwoLabels).source.feature_array, "x")
      << "the reader lists what is there";
  const GuessedNpz fractions = guess("x", "y", Npy("<f8", "(2,)", test::Raw<double>({0.5, 2})));
  EXPECT_EQ(fractions.source.label_type, job::LabelType::kNumber);
  EXPECT_THAT(fractions.label_notes, testing::ElementsAre(HasSubstr("fractions")));
  std::vector<int64_t> far, near;
  for (int64_t i = 0; i < 30; ++i) {
    far.push_back(i * 100 - 7);
    near.push_back(i);
  }
  const GuessedNpz gaps = guess("x", "y", Npy("<i8", "(30,)", test::Raw(far)));
  EXPECT_EQ(gaps.source.label_type, job::LabelType::kNumber);
  EXPECT_THAT(gaps.label_notes, testing::ElementsAre(HasSubstr("--classes")));
  EXPECT_EQ(guess("x", "y", Npy("<i8", "(30,)", test::Raw(near))).source.label_type,
            job::LabelType::kClass);
}

class NpzLabels : public NpzTest {
 protected:
  GuessedNpz Guess(const std::vector<double>& labels) {
    const std::string shape = absl::StrCat("(", labels.size(), ",)");
    const std::string x = Npy("|u1", shape, std::string(labels.size(), 'a'));
    return *GuessNpz(folder_.Write(
        "g.npz", Zip({{"x.npy", x}, {"y.npy", Npy("<f8", shape, test::Raw(labels))}})));
  }
};

// As in a table, whole numbers may be measured values.
TEST_F(NpzLabels, ManyWholeNumbersAreNumbersToPredict) {
  std::vector<double> disease, ages, classes, subset;
  for (int i = 0; i < 300; ++i) {
    disease.push_back(25 + i * 29 % 320);
    ages.push_back(20 + i % 60);
    classes.push_back(i % 100);
    subset.push_back(i % 97);
  }
  subset[0] = 99;
  for (const auto& labels : {disease, ages}) {
    const GuessedNpz guess = Guess(labels);
    EXPECT_EQ(guess.source.label_type, job::LabelType::kNumber);
    EXPECT_THAT(guess.label_notes, testing::ElementsAre(HasSubstr("--classes")));
  }
  EXPECT_EQ(Guess(classes).source.label_type, job::LabelType::kClass);
  EXPECT_TRUE(Guess(classes).label_notes.empty());
  EXPECT_EQ(Guess(subset).source.label_type, job::LabelType::kClass);
  EXPECT_THAT(Guess(subset).label_notes, testing::ElementsAre(HasSubstr("--regression")));
}

// The classes of arrays are indices, so a few large numbers would be many classes without examples.
TEST_F(NpzLabels, FewLargeNumbersAreNumbersToPredict) {
  std::vector<double> prices, digits;
  for (int i = 0; i < 60; ++i) {
    prices.push_back(std::vector<double>{99, 118344, 139788, 151200, 300102}[i % 5]);
    digits.push_back(i % 2 == 0 ? 3 : 8);
  }
  const GuessedNpz guess = Guess(prices);
  EXPECT_EQ(guess.source.label_type, job::LabelType::kNumber);
  EXPECT_THAT(guess.label_notes, testing::ElementsAre(HasSubstr("indices of 300103 classes")));
  EXPECT_EQ(Guess(digits).source.label_type, job::LabelType::kClass);
}

TEST_F(NpzTest, GuessNamesArraysThatAreNotRead) {
  const auto notes = [&](const std::string& name, const std::string& array) {
    return GuessNpz(folder_.Write("g.npz",
                                  Zip({{"x.npy", features_},
                                       {"y.npy", kTwoLabels},
                                       {name + ".npy", array},
                                       {"other.npy", Npy("|u1", "(3,)", std::string(3, 'a'))}})))
        ->notes;
  };
  EXPECT_THAT(notes("sample_weight", Npy("<f4", "(2,)", test::Raw<float>({1, 2}))),
              testing::ElementsAre(testing::AllOf(HasSubstr("the array sample_weight has"),
                                                  HasSubstr("--example-weights"))));
  EXPECT_TRUE(notes("mean", Npy("<f4", "(1,)", test::Raw<float>({1}))).empty());
}

TEST_F(NpzTest, SparseMatrixIsNamed) {
  const std::string array = Npy("|u1", "(2,)", {1, 0});
  EXPECT_THAT(Read(Zip({{"indices.npy", array},
                        {"indptr.npy", array},
                        {"data.npy", array},
                        {"format.npy", array},
                        {"shape.npy", array}}))
                  .status(),
              IsError(absl::StatusCode::kInvalidArgument, "a sparse matrix of SciPy"));
}

}  // namespace
}  // namespace dl::dataset
