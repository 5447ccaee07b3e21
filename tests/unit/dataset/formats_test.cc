// Tests that the same data gives the same dataset in each format.
#include <filesystem>
#include <functional>

#include "absl/strings/str_cat.h"
#include "base/philox.h"
#include "dataset/block_cutting.h"
#include "dataset/readers/source.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/dataset/image_bytes.h"
#include "tests/unit/dataset/packed_bytes.h"

namespace dl::dataset {
namespace {

using test::Idx;
using test::Npy;
using test::Raw;

// Rows of floats that text represents exactly, with classes and targets.
struct Rows {
  int64_t count = 0, features = 0;
  std::vector<float> values;
  std::vector<int32_t> classes;
  std::vector<float> targets;
};

Rows Draw(uint64_t seed) {
  RandomStream random({.seed = seed, .purpose = RandomPurpose::kForTests});
  Rows rows{.count = 3 + static_cast<int64_t>(random.Bounded(40)),
            .features = 1 + static_cast<int64_t>(random.Bounded(9))};
  for (int64_t i = 0; i < rows.count; ++i) {
    for (int64_t k = 0; k < rows.features; ++k) {
      // Half of the values are 0, which sparse rows leave out.
      const auto drawn = static_cast<float>(random.Bounded(4000)) - 2000;
      rows.values.push_back(drawn < 0 ? 0 : drawn / 8);
    }
    rows.classes.push_back(static_cast<int32_t>(i < 3 ? i : random.Bounded(3)));
    rows.targets.push_back((static_cast<float>(random.Bounded(4000)) - 2000) / 8);
  }
  return rows;
}

std::string Csv(const Rows& rows, const std::function<std::string(int64_t)>& label) {
  std::string text;
  for (int64_t i = 0; i < rows.count; ++i) {
    for (int64_t k = 0; k < rows.features; ++k)
      absl::StrAppend(&text, rows.values[i * rows.features + k], ",");
    absl::StrAppend(&text, label(i), "\n");
  }
  return text;
}

std::string Libsvm(const Rows& rows, const std::function<std::string(int64_t)>& label) {
  std::string text;
  for (int64_t i = 0; i < rows.count; ++i) {
    text += label(i);
    for (int64_t k = 0; k < rows.features; ++k) {
      const float value = rows.values[i * rows.features + k];
      if (value != 0) absl::StrAppend(&text, " ", k + 1, ":", value);
    }
    text += '\n';
  }
  return text;
}

std::string Shape(int64_t rows, int64_t columns) {
  return absl::StrCat("(", rows, ", ", columns, ")");
}

TEST(Formats, SameContentHasSameFingerprint) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    const test::TempFolder folder;
    const Rows rows = Draw(seed);
    const auto print = [](const job::DatasetSpec& source, int64_t memory = INT64_MAX) {
      const auto table = ReadSource(source, {.memory = {.bytes = memory}});
      EXPECT_TRUE(table.ok()) << table.status();
      return table.ok() ? ContentFingerprint(*table).value() : "";
    };
    std::vector<float> columns(rows.values.size());
    for (int64_t i = 0; i < rows.count; ++i) {
      for (int64_t k = 0; k < rows.features; ++k)
        columns[k * rows.count + i] = rows.values[i * rows.features + k];
    }
    const std::string shape = Shape(rows.count, rows.features);
    const std::string x = Npy("<f4", shape, Raw(rows.values)),
                      x_fortran = Npy(">f4", shape, Raw(columns, true), "True"),
                      x_idx = Idx(
                          0x0d,
                          {static_cast<uint32_t>(rows.count), static_cast<uint32_t>(rows.features)},
                          Raw(rows.values, true));
    const std::string length = absl::StrCat("(", rows.count, ",)");

    const auto of_class = [&](int64_t i) { return absl::StrCat(rows.classes[i]); };
    const std::string y = Npy("<i4", length, Raw(rows.classes));
    const std::vector<std::string> names = {"0", "1", "2"};
    const std::string classes =
        print(data::Csv(folder.Write("c.csv", Csv(rows, of_class))).NoHeader());
    const auto libsvm =
        data::Libsvm(folder.Write("c.svm", Libsvm(rows, of_class))).FeatureCount(rows.features);
    EXPECT_EQ(print(libsvm), classes);
    EXPECT_EQ(print(libsvm, 64), classes);
    const auto idx = data::Idx(folder.Write("x.idx", x_idx),
                               folder.Write("y.idx", Idx(0x0c, {static_cast<uint32_t>(rows.count)},
                                                         Raw(rows.classes, true))));
    EXPECT_EQ(print(job::IdxSource(idx).ClassNames(names)), classes);
    const auto npy = data::Npy(folder.Write("x.npy", x), folder.Write("y.npy", y));
    EXPECT_EQ(print(job::NpySource(npy).ClassNames(names)), classes);
    EXPECT_EQ(print(job::NpySource(npy).ClassNames(names), 64), classes);
    const auto npz =
        data::Npz(folder.Write("a.npz", test::Zip({{"x.npy", x_fortran}, {"y.npy", y}}, true)));
    EXPECT_EQ(print(job::NpzSource(npz).ClassNames(names)), classes);

    const auto of_number = [&](int64_t i) { return absl::StrCat(rows.targets[i]); };
    const std::string numbers =
        print(data::Csv(folder.Write("n.csv", Csv(rows, of_number))).NoHeader().LabelsAreNumbers());
    EXPECT_NE(numbers, classes);
    EXPECT_EQ(print(data::Libsvm(folder.Write("n.svm", Libsvm(rows, of_number)))
                        .FeatureCount(rows.features)
                        .LabelsAreNumbers()),
              numbers);
    const std::string t = Npy("<f4", length, Raw(rows.targets));
    EXPECT_EQ(print(data::Npy(folder.Write("x.npy", x_fortran), folder.Write("t.npy", t))
                        .LabelsAreNumbers()),
              numbers);
    EXPECT_EQ(print(data::Npz(folder.Write("n.npz", test::Zip({{"x.npy", x}, {"y.npy", t}})))
                        .LabelsAreNumbers()),
              numbers);
  }
}

// For each format that has both kinds: a split of classes for a model of numbers, and the reverse.
TEST(Formats, SplitsHaveOneKindOfLabels) {
  const test::TempFolder folder;
  const auto csv = data::Csv(folder.Write("a.csv", "1,0\n2,1\n")).NoHeader();
  const auto libsvm = data::Libsvm(folder.Write("a.svm", "0 1:1\n1 1:2\n"));
  const auto npy = data::Npy(folder.Write("x.npy", Npy("<f4", "(2, 1)", Raw<float>({1, 2}))),
                             folder.Write("y.npy", Npy("|u1", "(2,)", {0, 1})));
  const auto npz = data::Npz(
      folder.Write("a.npz", test::Zip({{"x.npy", Npy("<f4", "(2, 1)", Raw<float>({1, 2}))},
                                       {"y.npy", Npy("|u1", "(2,)", {0, 1})}})));
  const auto each = [](auto classes) {
    const std::string format(job::FormatOf(job::DatasetSpec(classes)));
    auto numbers = classes;
    numbers.LabelsAreNumbers();
    const auto of_classes = ReadSource(classes), of_numbers = ReadSource(numbers);
    ASSERT_TRUE(of_classes.ok() && of_numbers.ok()) << format;
    EXPECT_THAT(
        ReadSource(classes, {.training = &of_numbers->schema}).status(),
        test::IsError(absl::StatusCode::kInvalidArgument,
                      "its labels are classes, but the labels of the training split are numbers"))
        << format;
    EXPECT_THAT(ReadSource(numbers, {.training = &of_classes->schema}).status(),
                test::IsError(absl::StatusCode::kInvalidArgument,
                              "its labels are numbers, the training split's are classes"))
        << format;
  };
  each(csv);
  each(libsvm);
  each(npy);
  each(npz);
}

// Images of bytes: records of CIFAR-10, IDX and NumPy.
TEST(Formats, SameImagesHaveSameFingerprint) {
  const test::TempFolder folder;
  std::string records, pixels, labels;
  RandomStream random({.seed = 4, .purpose = RandomPurpose::kForTests});
  for (int i = 0; i < 12; ++i) {
    std::string image(3072, '\0');
    for (char& byte : image) byte = static_cast<char>(random.Bounded(256));
    labels.push_back(static_cast<char>(i % 10));
    records += std::string(1, labels.back()) + image;
    pixels += image;
  }
  const auto print = [](const job::DatasetSpec& source) {
    const auto table = ReadSource(source);
    EXPECT_TRUE(table.ok()) << table.status();
    return table.ok() ? ContentFingerprint(*table).value() : "";
  };
  const std::vector<std::string> names = {"airplane", "automobile", "bird",  "cat",  "deer",
                                          "dog",      "frog",       "horse", "ship", "truck"};
  const std::string cifar = print(data::Cifar10(folder.Write("b.bin", records)));
  EXPECT_EQ(print(data::Idx(folder.Write("x", Idx(8, {12, 3, 32, 32}, pixels)),
                            folder.Write("y", Idx(8, {12}, labels)))
                      .ClassNames(names)),
            cifar);
  EXPECT_EQ(print(data::Npy(folder.Write("x.npy", Npy("|u1", "(12, 3, 32, 32)", pixels)),
                            folder.Write("y.npy", Npy("|u1", "(12,)", labels)))
                      .ClassNames(names)),
            cifar);
}

// Images of the final size are not changed by the resizer.
TEST(Formats, ImageFolderEqualsIdxOfItsPixels) {
  const test::TempFolder folder;
  std::string pixels, labels;
  for (int i = 0; i < 9; ++i) {
    const test::Pixels image = test::Drawn(6, 5, 1, i);
    const std::string name = absl::StrCat("images/", i / 3);
    std::filesystem::create_directories(folder / name);
    folder.Write(absl::StrCat(name, "/", i, ".png"), test::Png(image));
    pixels.append(image.bytes.begin(), image.bytes.end());
    labels.push_back(static_cast<char>(i / 3));
  }
  const auto images = ReadSource(data::ImageFolder(folder / "images", 6, 5).Grey()),
             idx = ReadSource(data::Idx(folder.Write("x", Idx(8, {9, 6, 5}, pixels)),
                                        folder.Write("y", Idx(8, {9}, labels)))
                                  .ClassNames({"0", "1", "2"}));
  ASSERT_TRUE(images.ok() && idx.ok()) << images.status() << idx.status();
  EXPECT_EQ(ContentFingerprint(*images).value(), ContentFingerprint(*idx).value());
}

}  // namespace
}  // namespace dl::dataset
