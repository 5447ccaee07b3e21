#include <cmath>
#include <cstring>

#include "base/philox.h"
#include "dataset/block_cutting.h"
#include "dataset/readers/array/idx_reader.h"
#include "dataset/readers/image/cifar_reader.h"
#include "dataset/readers/source.h"
#include "dataset/readers/table/csv_reader.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/dataset/dataset_fixtures.h"
#include "tests/unit/dataset/packed_bytes.h"

namespace dl::dataset {
namespace {

using test::Gzip;
using test::Idx;
using test::TempFolder;

const std::string kIdxImages = Idx(8, {3, 2, 2}, "abcdefghijkl");
const std::string kIdxLabels = Idx(8, {3}, {2, 0, 1});

TEST(IdxTest, PlainAndGzip) {
  TempFolder folder;
  for (bool gzip : {false, true}) {
    auto table = ReadIdx({.features = folder.Write("x", gzip ? Gzip(kIdxImages) : kIdxImages),
                          .labels = folder.Write("y", gzip ? Gzip(kIdxLabels) : kIdxLabels)});
    ASSERT_TRUE(table.ok()) << table.status();
    EXPECT_EQ(table->examples, 3);
    EXPECT_EQ(table->schema.feature_shape, (std::vector<int64_t>{1, 2, 2}));
    EXPECT_EQ(table->schema.classes(), 3);
    EXPECT_EQ(table->u8[11], 'l');
    EXPECT_EQ(table->classes, (std::vector<int32_t>{2, 0, 1}));
  }
}

TEST(IdxTest, OtherTypesBecomeFloats) {
  TempFolder folder;
  const std::string floats("\x3f\x80\x00\x00\xc0\x00\x00\x00", 8);  // 1, -2
  auto table =
      ReadIdx({.features = folder.Write("x", Idx(0x0d, {2, 1}, floats)),
               .labels = folder.Write("y", Idx(0x0c, {2}, std::string("\0\0\0\1\0\0\0\0", 8)))});
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(table->f32, (std::vector<float>{1, -2}));
  EXPECT_EQ(table->classes, (std::vector<int32_t>{1, 0}));
  const std::string nan("\x7f\xc0\x00\x00\xc0\x00\x00\x00", 8);
  EXPECT_FALSE(
      ReadIdx({.features = folder.Write("x", Idx(0x0d, {2, 1}, nan)), .labels = folder / "y"})
          .ok());
}

TEST(IdxTest, TruncatedTooLongAndWrongMagic) {
  TempFolder folder;
  const std::string labels = folder.Write("y", kIdxLabels);
  for (size_t size = 0; size < kIdxImages.size(); ++size) {
    const std::string cut = kIdxImages.substr(0, size);
    EXPECT_FALSE(ReadIdx({.features = folder.Write("x", cut), .labels = labels}).ok()) << size;
    EXPECT_FALSE(ReadIdx({.features = folder.Write("x", Gzip(cut)), .labels = labels}).ok())
        << size;
  }
  const std::string packed = Gzip(kIdxImages);
  for (size_t size = 0; size < packed.size(); ++size) {
    EXPECT_FALSE(
        ReadIdx({.features = folder.Write("x", packed.substr(0, size)), .labels = labels}).ok())
        << size;
  }
  std::string wrong_sum = packed;
  wrong_sum[wrong_sum.size() - 6] ^= 1;  // the CRC
  EXPECT_FALSE(ReadIdx({.features = folder.Write("x", wrong_sum), .labels = labels}).ok());
  for (const std::string& bad :
       {kIdxImages + "x", Gzip(kIdxImages + "x"), "PNG" + kIdxImages,
        Idx(7, {3, 2, 2}, "abcdefghijkl"), Idx(8, {}, ""), Idx(8, {0}, "")}) {
    EXPECT_FALSE(ReadIdx({.features = folder.Write("x", bad), .labels = labels}).ok());
  }
  auto missing = ReadIdx({.features = folder / "none", .labels = labels});
  EXPECT_EQ(missing.status().code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(ReadIdx({.features = "/dev/zero", .labels = labels}).ok());
}

TEST(IdxTest, DeclaredSizesAreNotBelieved) {
  TempFolder folder;
  const std::string labels = folder.Write("y", kIdxLabels);
  for (const std::vector<uint32_t>& shape :
       {std::vector<uint32_t>{0xffffffff, 0xffffffff, 0xffffffff},
        {0x7fffffff},
        {65536, 65536, 4}}) {
    for (bool gzip : {false, true}) {
      const std::string bytes = Idx(8, shape, "few");
      auto table =
          ReadIdx({.features = folder.Write("x", gzip ? Gzip(bytes) : bytes), .labels = labels});
      ASSERT_FALSE(table.ok());
      EXPECT_NE(ErrorWhere(table.status()).find("x"), std::string::npos);
    }
  }
}

TEST(IdxTest, LabelsMustFit) {
  TempFolder folder;
  const std::string images = folder.Write("x", kIdxImages);
  EXPECT_FALSE(
      ReadIdx({.features = images, .labels = folder.Write("y", Idx(8, {2}, {0, 1}))}).ok());
  const std::string labels = folder.Write("y", kIdxLabels);
  EXPECT_FALSE(ReadIdx({.features = images, .labels = labels, .class_names = {"a", "b"}}).ok());
  auto named = ReadIdx({.features = images, .labels = labels, .class_names = {"a", "b", "c", "d"}});
  ASSERT_TRUE(named.ok());
  EXPECT_EQ(named->schema.classes(), 4);
  auto test = ReadIdx({.features = images, .labels = labels}, {.training = &named->schema});
  ASSERT_TRUE(test.ok()) << test.status();
  EXPECT_EQ(test->schema, named->schema);
  Schema other = named->schema;
  other.feature_shape = {1, 2, 3};
  EXPECT_FALSE(ReadIdx({.features = images, .labels = labels}, {.training = &other}).ok());
}

TEST(IdxTest, FashionMnist) {
  const std::string folder = "/usr/share/datasets/fashion-mnist/";
  auto table = ReadSource(job::IdxSource{.features = folder + "t10k-images-idx3-ubyte.gz",
                                         .labels = folder + "t10k-labels-idx1-ubyte.gz"});
  ASSERT_TRUE(table.ok()) << table.status() << " (package dataset-fashion-mnist)";
  EXPECT_EQ(table->examples, 10000);
  MemoryBlocks blocks;
  auto manifest = CutBlocks(*table, {.normalizer = NormalizerKind::kStandardize}, blocks);
  ASSERT_TRUE(manifest.ok()) << manifest.status();
  EXPECT_EQ(manifest->schema.feature_shape, (std::vector<int64_t>{1, 28, 28}));
  EXPECT_EQ(manifest->class_histogram, std::vector<int64_t>(10, 1000));
  EXPECT_EQ(manifest->blocks.size(), 8u);
  EXPECT_NEAR(manifest->normalizer.first[0], 73.15, 0.01);
}

TEST(Cifar10Test, RecordsOfSeveralFiles) {
  TempFolder folder;
  std::string one(1, 7), two(1, 0);
  for (int i = 0; i < 3072; ++i) {
    one.push_back(static_cast<char>(i));
    two.push_back(static_cast<char>(i + 1));
  }
  auto table = ReadCifar10({.paths = {folder.Write("a", one + two), folder.Write("b", two)}});
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(table->classes, (std::vector<int32_t>{7, 0, 0}));
  EXPECT_EQ(table->u8[3072 + 4], 5);
  EXPECT_EQ(table->schema.class_names()[7], "horse");
  EXPECT_FALSE(ReadCifar10({.paths = {folder.Write("a", one.substr(1))}}).ok());
  EXPECT_FALSE(ReadCifar10({.paths = {folder.Write("a", "")}}).ok());
  one[0] = 10;
  EXPECT_FALSE(ReadCifar10({.paths = {folder.Write("a", two + one)}}).ok());
  EXPECT_FALSE(ReadCifar10({}).ok());
}

StatusOr<ExampleTable> Csv(const std::string& text, job::CsvSource source = {},
                           const Schema* training = nullptr) {
  TempFolder folder;
  source.path = folder.Write("t.csv", text);
  return ReadCsv(source, {.training = training});
}

TEST(CsvTest, TextLabelsBecomeSortedClasses) {
  auto table = Csv("w,h,kind\r\n1.5,-2,pear\r\n\r\n+3e1, 4 ,apple\n5,6,\"pear\"");
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(table->f32, (std::vector<float>{1.5f, -2, 30, 4, 5, 6}));
  EXPECT_EQ(table->schema.class_names(), (std::vector<std::string>{"apple", "pear"}));
  EXPECT_EQ(table->schema.feature_names(), (std::vector<std::string>{"w", "h"}));
  EXPECT_EQ(table->classes, (std::vector<int32_t>{1, 0, 1}));
}

TEST(CsvTest, NumericLabelsSortByValue) {
  auto table = Csv("10;1\n9;2\n09;3\n", job::CsvSource().Separator(";").NoHeader().LabelColumn(0));
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(table->schema.class_names(), (std::vector<std::string>{"9", "10"}));
  EXPECT_EQ(table->classes, (std::vector<int32_t>{1, 0, 0}));
  EXPECT_TRUE(table->schema.feature_names().empty());
}

TEST(CsvTest, QuotedFields) {
  auto table = Csv("\"a \"\"x\"\"\",\"b,c\"\n1,\"two\nlines, and \"\"quotes\"\"\"\n");
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(table->schema.feature_names()[0], "a \"x\"");
  EXPECT_EQ(table->schema.class_names()[0], "two\nlines, and \"quotes\"");
}

TEST(CsvTest, TargetsAndLabelByName) {
  auto table =
      Csv("y,a,b\n0.5,1,2\n-1,3,4\n", {.label_column = "y", .label_type = job::LabelType::kNumber});
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(table->targets, (std::vector<float>{0.5f, -1}));
  EXPECT_EQ(table->f32, (std::vector<float>{1, 2, 3, 4}));
}

TEST(CsvTest, TestSplitMapsByTheTrainingSplit) {
  auto training = Csv("a,k\n1,x\n2,y\n3,z\n");
  ASSERT_TRUE(training.ok());
  auto test = Csv("a,k\n1,z\n", {}, &training->schema);
  ASSERT_TRUE(test.ok()) << test.status();
  EXPECT_EQ(test->classes, (std::vector<int32_t>{2}));
  EXPECT_EQ(test->schema, training->schema);
  EXPECT_FALSE(Csv("a,k\n1,q\n", {}, &training->schema).ok());
  EXPECT_FALSE(Csv("b,k\n1,z\n", {}, &training->schema).ok()) << "another column";
  EXPECT_FALSE(Csv("a,b,k\n1,2,z\n", {}, &training->schema).ok());
}

TEST(CsvTest, BadRowsNameFileRowAndColumn) {
  struct Case {
    std::string text, place;
  };
  for (const Case& c : {Case{"a,b,k\n1,2,x\n3,,x\n", "row 3, column 2"},
                        {"a,b,k\n1,2,x\n3,?,x\n", "row 3, column 2"},
                        {"a,b,k\n1,NaN,x\n", "row 2, column 2"},
                        {"a,b,k\n1,inf,x\n", "row 2, column 2"},
                        {"a,b,k\n1,1e99,x\n", "row 2, column 2"},
                        {"a,b,k\n1,1.5kg,x\n", "row 2, column 2"},
                        {"a,b,k\n1,1,\n", "row 2, column 3"},
                        {"a,b,k\n1,1,\xff\xfe\n", "row 2, column 3"},
                        {"a,b,k\n1,1\n", "row 2"},
                        {"a,b,k\n1,1,x,y\n", "row 2"},
                        {"a,b,k\n1,\"1\"2,x\n", "row 2"},
                        {"a,b,k\n1,\"1,x\n", "row 2"},
                        {"a,k\n\"1\"2x\n", "row 2"},
                        {"a,b,k\n", "no row follows"},
                        {"k\nx\n", "row 1"},
                        {"", "is empty"}}) {
    auto table = Csv(c.text);
    ASSERT_FALSE(table.ok()) << c.text;
    EXPECT_NE(ErrorWhere(table.status()).find("t.csv"), std::string::npos);
    EXPECT_NE(table.status().message().find(c.place.data()), absl::string_view::npos)
        << c.text << table.status();
  }
  EXPECT_FALSE(Csv("a,k\n1,x\n", {.label_column = "kk"}).ok());
  EXPECT_FALSE(Csv("a,k\n1,x\n", {.label_column = 2}).ok());
  EXPECT_FALSE(Csv("a,k,k\n1,x,y\n", {.label_column = "k"}).ok());
}

TEST(CsvTest, MutatedTextNeverCrashes) {
  const std::string good = "a,b,k\n1,2,\"x\"\n3.5,-4,y\n";
  RandomStream random({.seed = 5});
  TempFolder folder;
  for (int i = 0; i < 1000; ++i) {
    std::string bad = good;
    for (int k = 0; k < 3; ++k) {
      bad[random.Bounded(bad.size())] = "\",\n\r 1eE-+.\0\xff"[random.Bounded(13)];
    }
    (void)ReadCsv({.path = folder.Write("f.csv", bad)});
  }
}

TEST(SourceTest, FingerprintChangesWithFileAndOptions) {
  TempFolder folder;
  job::CsvSource source = {.path = folder.Write("t.csv", "a,k\n1,x\n")};
  const auto base = SourceFingerprint(source, {});
  ASSERT_TRUE(base.ok());
  EXPECT_EQ(*base, *SourceFingerprint(source, {}));
  EXPECT_NE(*base, *SourceFingerprint(source, {.normalizer = NormalizerKind::kMinMax}));
  source.header = false;
  EXPECT_NE(*base, *SourceFingerprint(source, {}));
  source.header = true;
  folder.Write("t.csv", "a,k\n1,x\n2,y\n");
  EXPECT_NE(*base, *SourceFingerprint(source, {}));
  source.path = folder / "none";
  EXPECT_FALSE(SourceFingerprint(source, {}).ok());
}

}  // namespace
}  // namespace dl::dataset
