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
  EXPECT_TRUE(plain.notes.empty());
  EXPECT_EQ(guess("X", "Y", kTwoLabels).source.feature_array, "X");
  EXPECT_EQ(guess("data", "target", kTwoLabels).source.label_array, "target");
  EXPECT_EQ(guess("arr_0", "arr_1", kTwoLabels).source.label_array, "arr_1");
  EXPECT_EQ(guess("a", "b", kTwoLabels).source.feature_array, "x")
      << "the reader lists what is there";
  const GuessedNpz fractions = guess("x", "y", Npy("<f8", "(2,)", test::Raw<double>({0.5, 2})));
  EXPECT_EQ(fractions.source.label_type, job::LabelType::kNumber);
  EXPECT_THAT(fractions.notes, testing::ElementsAre(HasSubstr("fractions")));
  std::vector<int64_t> far, near;
  for (int64_t i = 0; i < 30; ++i) {
    far.push_back(i * 100 - 7);
    near.push_back(i);
  }
  const GuessedNpz gaps = guess("x", "y", Npy("<i8", "(30,)", test::Raw(far)));
  EXPECT_EQ(gaps.source.label_type, job::LabelType::kNumber);
  EXPECT_THAT(gaps.notes, testing::ElementsAre(HasSubstr("--classes")));
  EXPECT_EQ(guess("x", "y", Npy("<i8", "(30,)", test::Raw(near))).source.label_type,
            job::LabelType::kClass);
}

}  // namespace
}  // namespace dl::dataset
