#include <limits>

#include "base/philox.h"
#include "dataset/block_cutting.h"
#include "dataset/readers/array/npy_array.h"
#include "dataset/readers/array/npy_reader.h"
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
using test::NpyOf;
using test::Raw;
using test::Zip;
using ::testing::HasSubstr;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
const std::string kLabels = Npy("|u1", "(2,)", {1, 0});

class NpyTest : public testing::Test {
 protected:
  StatusOr<ExampleTable> Read(const std::string& features, const std::string& labels = kLabels,
                              const ReadOptions& options = {}) {
    return ReadNpy(data::Npy(folder_.Write("x.npy", features), folder_.Write("y.npy", labels)),
                   options);
  }
  // Expects two examples of two values: 1, 2 and 3, 4.
  template <typename T>
  void ExpectFloats(const std::string& letter) {
    const std::vector<T> values = {1, 2, 3, 4};
    for (const bool big : {false, true}) {
      const std::string descr = (big ? ">" : "<") + letter;
      const auto table = Read(Npy(descr, "(2, 2)", Raw(values, big)));
      DL_ASSERT_OK(table);
      EXPECT_EQ(table->f32, (std::vector<float>{1, 2, 3, 4})) << descr;
    }
  }
  test::TempFolder folder_;
};

TEST_F(NpyTest, TypesAndByteOrders) {
  ExpectFloats<float>("f4");
  ExpectFloats<double>("f8");
  ExpectFloats<int8_t>("i1");
  ExpectFloats<int16_t>("i2");
  ExpectFloats<uint16_t>("u2");
  ExpectFloats<int32_t>("i4");
  ExpectFloats<uint32_t>("u4");
  ExpectFloats<int64_t>("i8");
  ExpectFloats<uint64_t>("u8");
  const auto negative = Read(Npy("|i1", "(2, 1)", "\xff\x80"));
  DL_ASSERT_OK(negative);
  EXPECT_EQ(negative->f32, (std::vector<float>{-1, -128}));
  const auto bytes = Read(Npy("|u1", "(2, 2)", "\x01\xff\x03\x04"));
  DL_ASSERT_OK(bytes);
  EXPECT_EQ(bytes->schema.feature_type(), FeatureType::kU8);
  EXPECT_EQ(bytes->u8, (std::vector<uint8_t>{1, 255, 3, 4}));
  const auto truth = Read(Npy("|b1", "(2, 2)", std::string("\0\1\7\0", 4)));
  DL_ASSERT_OK(truth);
  EXPECT_EQ(truth->u8, (std::vector<uint8_t>{0, 1, 1, 0}));
}

TEST_F(NpyTest, Shapes) {
  const auto shape = [&](const std::string& extents, size_t values) {
    const auto table = Read(Npy("|u1", extents, std::string(values, '\1')));
    EXPECT_TRUE(table.ok()) << table.status();
    return table.ok() ? table->schema.feature_shape : std::vector<int64_t>();
  };
  EXPECT_EQ(shape("(2,)", 2), (std::vector<int64_t>{1}));
  EXPECT_EQ(shape("(2, 3)", 6), (std::vector<int64_t>{3}));
  EXPECT_EQ(shape("(2, 3, 4)", 24), (std::vector<int64_t>{1, 3, 4}));
  EXPECT_EQ(shape("(2, 5, 3, 4)", 120), (std::vector<int64_t>{5, 3, 4}));
  EXPECT_EQ(shape("(2, 1, 5, 3, 4)", 120), (std::vector<int64_t>{1, 5, 3, 4}));
  EXPECT_EQ(shape("(2L, 3L)", 6), (std::vector<int64_t>{3})) << "as Python 2 wrote it";
}

TEST_F(NpyTest, Versions) {
  const std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 1), }";
  for (const int version : {1, 2, 3}) DL_EXPECT_OK(Read(NpyOf(header, "ab", version)));
  EXPECT_THAT(Read(NpyOf(header, "ab", 4)).status(),
              IsError(absl::StatusCode::kDataLoss, "version 4.0"));
}

// Values are determined by their indices, so both orders must give the same table.
TEST_F(NpyTest, FortranOrder) {
  const std::vector<int64_t> extents = {5, 2, 3, 4};
  std::vector<int16_t> c_order(120), fortran(120);
  for (int64_t n = 0; n < 5; ++n) {
    for (int64_t c = 0; c < 2; ++c) {
      for (int64_t h = 0; h < 3; ++h) {
        for (int64_t w = 0; w < 4; ++w) {
          const auto value = static_cast<int16_t>(1000 * n + 100 * c + 10 * h + w);
          c_order[((n * 2 + c) * 3 + h) * 4 + w] = value;
          fortran[n + 5 * (c + 2 * (h + 3 * w))] = value;
        }
      }
    }
  }
  const std::string labels = Npy("|u1", "(5,)", {0, 1, 0, 1, 0});
  const auto expected = Read(Npy("<i2", "(5, 2, 3, 4)", Raw(c_order)), labels);
  const auto found = Read(Npy("<i2", "(5, 2, 3, 4)", Raw(fortran), "True"), labels);
  DL_ASSERT_OK(expected);
  DL_ASSERT_OK(found);
  EXPECT_EQ(found->f32, expected->f32);
  EXPECT_EQ(found->f32[24 + 12 + 4 + 1], 1111);
  const auto packed =
      Read(test::Zstd(Npy(">i2", "(5, 2, 3, 4)", Raw(fortran, true), "True")), labels);
  DL_ASSERT_OK(packed);
  EXPECT_EQ(packed->f32, expected->f32);
  // A single example can have Fortran order; for a single column the orders are equal.
  const auto one =
      Read(Npy("|u1", "(1, 2, 2)", "acbd", "True"), Npy("|u1", "(1,)", std::string(1, '\0')));
  DL_ASSERT_OK(one);
  EXPECT_EQ(std::string(one->u8.begin(), one->u8.end()), "abcd");
  const auto column = Read(Npy("|u1", "(2, 1)", "ab", "True"));
  DL_ASSERT_OK(column);
  EXPECT_EQ(std::string(column->u8.begin(), column->u8.end()), "ab");
}

// More rows than are gathered at once.
TEST_F(NpyTest, LargeArraysInEitherOrderAndInLittleMemory) {
  constexpr int64_t kRows = 3000, kColumns = 40;
  RandomStream random({.seed = 9});
  std::vector<float> c_order(kRows * kColumns), fortran(kRows * kColumns);
  for (int64_t i = 0; i < kRows; ++i) {
    for (int64_t k = 0; k < kColumns; ++k) {
      const float value = static_cast<float>(random.Bounded(1 << 20)) / 17;
      c_order[i * kColumns + k] = value;
      fortran[k * kRows + i] = value;
    }
  }
  const std::string labels = Npy("<f8", "(3000, 2)", Raw(std::vector<double>(2 * kRows, 0.5)));
  std::vector<std::string> prints;
  for (const bool order : {false, true}) {
    const std::string features = folder_.Write(
        "x", Npy("<f4", "(3000, 40)", Raw(order ? fortran : c_order), order ? "True" : "False"));
    for (const int64_t memory : {int64_t{1}, int64_t{1} << 30}) {
      const auto table = ReadNpy(data::Npy(features, folder_.Write("y", labels)).LabelsAreNumbers(),
                                 {.memory = {.bytes = memory}});
      DL_ASSERT_OK(table);
      EXPECT_EQ(table->spilled != nullptr, memory == 1);
      EXPECT_EQ(table->schema.target_size(), 2);
      prints.push_back(ContentFingerprint(*table).value());
    }
  }
  EXPECT_EQ(prints, std::vector<std::string>(4, prints[0]));
}

TEST_F(NpyTest, Labels) {
  const std::string features = Npy("|u1", "(2, 1)", "ab");
  const auto classes = [&](const std::string& labels) { return Read(features, labels); };
  const auto numbers = [&](const std::string& labels) {
    return ReadNpy(data::Npy(folder_.Write("x.npy", features), folder_.Write("y.npy", labels))
                       .LabelsAreNumbers());
  };
  for (const auto& [descr, values] : {std::pair("<i8", Raw<int64_t>({2, 0})),
                                      {">i4", Raw<int32_t>({2, 0}, true)},
                                      {"<f4", Raw<float>({2, 0})},
                                      {"|u1", Raw<uint8_t>({2, 0})}}) {
    const auto table = classes(Npy(descr, "(2,)", values));
    DL_ASSERT_OK(table);
    EXPECT_EQ(table->classes, (std::vector<int32_t>{2, 0})) << descr;
    EXPECT_EQ(table->schema.classes(), 3);
  }
  const auto bad = [&](const std::string& labels, const std::string& message) {
    EXPECT_THAT(classes(labels).status(), IsError(absl::StatusCode::kDataLoss, message));
    EXPECT_THAT(classes(labels).status(), IsError(absl::StatusCode::kDataLoss, folder_ / "y.npy"));
  };
  bad(Npy("<f4", "(2,)", Raw<float>({0, 0.5})),
      "value 1 is out of range: it is 0.5, not a whole number");
  bad(Npy("<f4", "(2,)", Raw<float>({NAN, 0})), "value 0 is out of range");
  bad(Npy("<i8", "(2,)", Raw<int64_t>({0, -1})), "value 1 is out of range: it is -1, not");
  bad(Npy("<i8", "(2,)", Raw<int64_t>({0, INT64_MIN})), "value 1 is out of range");
  bad(Npy("<u8", "(2,)", Raw<uint64_t>({UINT64_MAX, 0})), "value 0 is out of range");
  bad(Npy("<i8", "(2,)", Raw<int64_t>({0, 1 << 20})), "value 1 is out of range");
  bad(Npy("|u1", "(3,)", "abc"), "3 labels for 2 examples");
  EXPECT_THAT(ErrorRemedy(classes(Npy("|u1", "(1, 2)", "ab")).status()), HasSubstr("y.ravel()"));
  bad(Npy("|u1", "(2, 2)", std::string(4, '\0')), "has the shape 2x2, classes have one dimension");
  const auto one = numbers(Npy("<f8", "(2,)", Raw<double>({0.25, -3})));
  DL_ASSERT_OK(one);
  EXPECT_EQ(one->targets, (std::vector<float>{0.25, -3}));
  const auto several = numbers(Npy("<f8", "(2, 2)", Raw<double>({1, 3, 2, 4}), "True"));
  DL_ASSERT_OK(several);
  EXPECT_EQ(several->targets, (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(several->schema.target_size(), 2);
  EXPECT_THAT(numbers(Npy("<f8", "(2,)", Raw<double>({1e300, 0}))).status(),
              IsError(absl::StatusCode::kDataLoss, "value 0 is out of range"));
  EXPECT_THAT(
      numbers(Npy("|u1", "(2, 1, 1)", "ab")).status(),
      IsError(absl::StatusCode::kDataLoss, "numbers to predict have one dimension, or two"));
}

TEST_F(NpyTest, FeaturesThatAreNoFiniteFloatsNameTheirByte) {
  const Status nan = Read(Npy("<f4", "(2, 2)", Raw<float>({1, 2, NAN, 4}))).status();
  EXPECT_THAT(nan, IsError(absl::StatusCode::kDataLoss, "value 2 is out of range: it is nan, not"));
  const auto header = static_cast<int64_t>(Npy("<f4", "(2, 2)", "").size());
  EXPECT_THAT(ErrorWhere(nan), HasSubstr("x.npy at byte " + std::to_string(header + 8)));
  // Filled in, a label that is missing would be class 0.
  const Status label =
      Read(Npy("|u1", "(2, 1)", "ab"), Npy("<f4", "(2,)", Raw<float>({1, NAN}))).status();
  EXPECT_THAT(ErrorRemedy(label), HasSubstr("Leave the examples without a class out"));
  EXPECT_FALSE(Read(Npy("<f4", "(2, 2)", Raw<float>({1, 2, kInfinity, 4}))).ok());
  EXPECT_FALSE(Read(Npy("<f8", "(2, 2)", Raw<double>({1, 2, 3, 1e39}))).ok());
  EXPECT_FALSE(Read(Npy("<f8", "(2, 2)", Raw<double>({1, 2, 3, 1e39}), "True")).ok());
}

TEST_F(NpyTest, HeadersAreReadStrictly) {
  for (const char* header : {
           "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }",
           "{'shape': (2, 1), 'fortran_order': False, 'descr': '<f4'}",
           "{\"descr\":\"<f4\",\"fortran_order\":False,\"shape\":(2,1,)}       ",
       }) {
    const auto read = ParseNpyHeader(header);
    DL_ASSERT_OK(read);
    EXPECT_EQ(*read, (NpyHeader{.shape = {2, 1}})) << header;
  }
  struct Case {
    const char *header, *said;
  };
  for (const Case& c : {
           Case{"", "has no \"{\""},
           {"{}", "lacks descr"},
           {"{'descr': '<f4', 'fortran_order': False}", "lacks shape"},
           {"{'descr': '<f4', 'descr': '<f4', 'shape': (1,)}", "has descr twice"},
           {"{'descr': '<f4', 'x': 1}", "has the key \"x\""},
           {"{'descr': '<f4' 'shape': (1,)}", "has no \"}\""},
           {"{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", "neither True nor False"},
           {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} + x", "continues after"},
           {"{'descr': '<f4', 'fortran_order': False, 'shape': (3)}", "no tuple"},
           {"{'descr': '<f4', 'fortran_order': False, 'shape': 3}", "has no \"(\""},
           {"{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}", "no tuple"},
           {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "no tuple"},
           {"{'descr': '<f4', 'fortran_order': False, 'shape': (1.5,)}", "no tuple"},
           {"{'descr': '<f4', 'fortran_order': False, 'shape': (,)}", "no tuple"},
           {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
            "too large"},
           {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1)}",
            "more than 5 dimensions"},
           {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "records"},
           {"{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "\"|O\", which is not read"},
           {"{'descr': '<U5', 'fortran_order': False, 'shape': (1,)}", "not read"},
           {"{'descr': '<f2', 'fortran_order': False, 'shape': (1,)}", "not read"},
           {"{'descr': '=f4', 'fortran_order': False, 'shape': (1,)}", "not read"},
           {"{'descr': '|f4', 'fortran_order': False, 'shape': (1,)}", "not read"},
           {"{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", "not read"},
           {"{'descr': 'f4', 'fortran_order': False, 'shape': (1,)}", "not read"},
           {"{'descr': '<f4", "does not end"},
           {"{'de\\x73cr': '<f4'}", "backslash"},
           {"{'descr': __import__('os')}", "has no text"},
       }) {
    EXPECT_THAT(ParseNpyHeader(c.header).status(),
                IsError(absl::StatusCode::kInvalidArgument, c.said))
        << c.header;
  }
  const Status object = Read(Npy("|O", "(2,)", "x")).status();
  EXPECT_EQ(ErrorWhere(object), folder_ / "x.npy");
  EXPECT_THAT(ErrorRemedy(object), HasSubstr("astype"));
}

TEST_F(NpyTest, DeclaredSizesAreNotBelieved) {
  for (const char* shape : {"(9223372036854775807, 9223372036854775807)",
                            "(4294967296, 4294967296)", "(1099511627776, 3)", "(2, 1000000)"}) {
    for (const bool packed : {false, true}) {
      const std::string bytes = Npy("<f8", shape, "few");
      EXPECT_THAT(Read(packed ? test::Gzip(bytes) : bytes).status(),
                  IsError(absl::StatusCode::kDataLoss, "declares"))
          << shape;
    }
  }
  EXPECT_THAT(Read(Npy("|u1", "(0, 3)", "")).status(),
              IsError(absl::StatusCode::kDataLoss, "dimension 0 is 0"));
  EXPECT_THAT(Read(Npy("|u1", "()", "a")).status(),
              IsError(absl::StatusCode::kDataLoss, "no dimension"));
  const std::string large =
      std::string("\x93NUMPY\2\0", 8) + std::string("\xff\xff\xff\x7f", 4) + "{";
  EXPECT_THAT(Read(large).status(),
              IsError(absl::StatusCode::kDataLoss, "a header of 2147483647 bytes"));
}

TEST_F(NpyTest, CutMutatedAndForeignFilesAreErrors) {
  const std::string good = Npy("<f4", "(2, 2)", Raw<float>({1, 2, 3, 4}));
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(Read(good.substr(0, size)).ok()) << size;
    EXPECT_FALSE(Read(test::Zstd(good.substr(0, size))).ok()) << size;
  }
  EXPECT_FALSE(Read(good + "x").ok());
  EXPECT_FALSE(Read(test::Gzip(good + "x")).ok());
  EXPECT_THAT(Read("PNG" + good).status(), IsError(absl::StatusCode::kDataLoss, "no"));
  EXPECT_THAT(Read(Zip({{"x.npy", good}})).status(),
              IsError(absl::StatusCode::kInvalidArgument, "a zip archive"));
  RandomStream random({.seed = 12});
  for (int i = 0; i < 1000; ++i) {
    std::string bad = good;
    for (int k = 0; k < 3; ++k)
      bad[random.Bounded(bad.size())] = "'\"{}(),: L0129<>|fiub\xff"[random.Bounded(22)];
    const auto table = Read(bad);
    if (table.ok()) {
      DL_EXPECT_OK(ValidateTable(*table));
    }
  }
}

TEST_F(NpyTest, SeveralFilesHaveExamplesOfOneKind) {
  const std::string x1 = folder_.Write("x1", Npy("|u1", "(2, 2)", "abcd")),
                    x2 = folder_.Write("x2", Npy("|u1", "(1, 2)", "ef")),
                    y1 = folder_.Write("y1", kLabels),
                    y2 = folder_.Write("y2", Npy("<i4", "(1,)", Raw<int32_t>({2})));
  const auto table = ReadNpy(data::Npy(folder_ / "x?", folder_ / "y?"));
  DL_ASSERT_OK(table);
  EXPECT_EQ(table->classes, (std::vector<int32_t>{1, 0, 2}));
  EXPECT_EQ(std::string(table->u8.begin(), table->u8.end()), "abcdef");
  folder_.Write("x2", Npy("|u1", "(1, 3)", "efg"));
  EXPECT_THAT(ReadNpy(data::Npy({x1, x2}, {y1, y2})).status(),
              IsError(absl::StatusCode::kDataLoss, "has examples of 3, those of " + x1 + " are 2"));
  folder_.Write("x2", Npy("<f4", "(1, 2)", Raw<float>({1, 2})));
  EXPECT_THAT(ReadNpy(data::Npy({x1, x2}, {y1, y2})).status(),
              IsError(absl::StatusCode::kDataLoss, "has no bytes as values, unlike " + x1));
  folder_.Write("x2", Npy("|u1", "(1, 2)", "ef"));
  folder_.Write("y2", Npy("|u1", "(1, 2)", "ef"));
  EXPECT_THAT(ReadNpy(data::Npy({x1, x2}, {y1, y2}).LabelsAreNumbers()).status(),
              IsError(absl::StatusCode::kDataLoss, "has 2 numbers to predict"));
}

TEST_F(NpyTest, TestSetMustFitTrainingSet) {
  const auto training = Read(Npy("|u1", "(2, 2)", "abcd"));
  DL_ASSERT_OK(training);
  DL_EXPECT_OK(Read(Npy("|u1", "(2, 2)", "efgh"), kLabels, {.training = &training->schema}));
  EXPECT_THAT(
      Read(Npy("|u1", "(2, 3)", "efghij"), kLabels, {.training = &training->schema}).status(),
      IsError(absl::StatusCode::kInvalidArgument, "3 features, the training split has 2"));
  EXPECT_THAT(Read(Npy("|u1", "(2, 2)", "efgh"), Npy("|u1", "(2,)", {5, 0}),
                   {.training = &training->schema})
                  .status(),
              IsError(absl::StatusCode::kInvalidArgument, "label 5 of example 0"));
}

// Two images of one channel, 1 x 2.
TEST_F(NpyTest, LabelsOfPixels) {
  const std::string images = Npy("|u1", "(2, 1, 1, 2)", {1, 2, 3, 4});
  const auto table = Read(images, Npy("|u1", "(2, 1, 2)", {0, 2, 1, 1}));
  DL_ASSERT_OK(table);
  EXPECT_EQ(table->schema.labels_per_example(), 2);
  EXPECT_EQ(table->schema.classes(), 3);
  EXPECT_EQ(table->classes, (std::vector<int32_t>{0, 2, 1, 1}));
  // Refused for images of another shape, and for rows.
  EXPECT_THAT(
      Read(images, Npy("|u1", "(2, 2, 1)", {0, 2, 1, 1})),
      IsError(absl::StatusCode::kDataLoss,
              "has the shape 2x2x1, classes have one dimension, or those of the images' pixels"));
  EXPECT_THAT(Read(Npy("|u1", "(2, 2)", {1, 2, 3, 4}), Npy("|u1", "(2, 1, 2)", {0, 2, 1, 1})),
              IsError(absl::StatusCode::kDataLoss, "has the shape 2x1x2"));
  // Either all files have labels of pixels, or none.
  const auto two = ReadNpy(
      data::Npy(job::Files({folder_.Write("1.npy", images), folder_.Write("2.npy", images)}),
                job::Files({folder_.Write("3.npy", Npy("|u1", "(2, 1, 2)", {0, 2, 1, 1})),
                            folder_.Write("4.npy", kLabels)})),
      {});
  EXPECT_THAT(two, IsError(absl::StatusCode::kDataLoss, "has 1 classes of an example"));
}

}  // namespace
}  // namespace dl::dataset
