// Tests sources that do not fit into memory: blocks and manifest do not depend on the memory limit.
#include <cstring>
#include <filesystem>
#include <functional>

#include "absl/strings/str_cat.h"
#include "base/philox.h"
#include "dataset/readers/source.h"
#include "dataset/readers/table/csv_scanner.h"
#include "gmock/gmock.h"
#include "tests/support/damage.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/dataset/dataset_fixtures.h"
#include "tests/unit/dataset/image_bytes.h"
#include "tests/unit/dataset/packed_bytes.h"

namespace dl::dataset {
namespace {

using test::Gzip;
using test::Idx;
using test::IsError;
using test::Png;
using test::TempFolder;
using test::Zstd;

std::string Noise(size_t bytes, int below) {
  RandomStream random({.seed = bytes, .purpose = RandomPurpose::kForTests});
  std::string noise(bytes, '\0');
  for (char& byte : noise) byte = static_cast<char>(random.Bounded(below));
  return noise;
}

std::string Csv(int rows, const char* line_end, const std::function<std::string(int)>& label) {
  RandomStream random({.seed = 3, .purpose = RandomPurpose::kForTests});
  std::string text = absl::StrCat("a,b,\"c\"\"c\",label", line_end);
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < 3; ++column)
      absl::StrAppend(&text, static_cast<double>(random.Bounded(1 << 20)) / 977.0, ",");
    absl::StrAppend(&text, label(row), line_end);
  }
  return text;
}

std::string Float(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  bits = __builtin_bswap32(bits);
  return {reinterpret_cast<const char*>(&bits), 4};
}

struct Case {
  const char* name;
  std::function<job::DatasetSpec(const TempFolder&)> write;
};

const std::vector<Case>& Cases() {
  static const std::vector<Case> cases = {
      {"Idx",
       [](const TempFolder& folder) -> job::DatasetSpec {
         return job::IdxSource{
             .features = folder.Write("x", Idx(8, {700, 5, 3}, Noise(700 * 15, 256))),
             .labels = folder.Write("y", Idx(8, {700}, Noise(700, 9)))};
       }},
      {"IdxGzip",
       [](const TempFolder& folder) -> job::DatasetSpec {
         return job::IdxSource{
             .features = folder.Write("x", Gzip(Idx(8, {700, 2, 5, 3}, Noise(21000, 256)))),
             .labels = folder.Write("y", Gzip(Idx(8, {700}, Noise(700, 9))))};
       }},
      {"IdxFloats",
       [](const TempFolder& folder) -> job::DatasetSpec {
         std::string values;
         for (const char byte : Noise(700 * 3, 256)) values += Float(static_cast<float>(byte) / 7);
         return job::IdxSource{.features = folder.Write("x", Idx(0x0d, {700, 3}, values)),
                               .labels = folder.Write("y", Idx(8, {700}, Noise(700, 4)))};
       }},
      {"Cifar10",
       [](const TempFolder& folder) -> job::DatasetSpec {
         job::Cifar10Source source;
         for (const int records : {300, 7}) {
           std::string bytes;
           for (int i = 0; i < records; ++i)
             bytes += std::string(1, static_cast<char>(i % 10)) + Noise(3072, 200 + i % 50);
           source.paths.names.push_back(folder.Write(absl::StrCat("b", records), bytes));
         }
         return source;
       }},
      {"CsvClasses",
       [](const TempFolder& folder) -> job::DatasetSpec {
         return data::Csv(folder.Write("c.csv", Csv(3000, "\r\n", [](int row) {
                                         return absl::StrCat("\"class\n", 7 - row % 5, "\"");
                                       })));
       }},
      {"CsvNumbersGzip",
       [](const TempFolder& folder) -> job::DatasetSpec {
         const std::string text = Csv(3000, "\n", [](int row) { return absl::StrCat(row * 0.5); });
         return data::Csv(folder.Write("n.csv", Gzip(text))).LabelsAreNumbers();
       }},
      {"CsvsZstd",
       [](const TempFolder& folder) -> job::DatasetSpec {
         for (const int part : {0, 1, 2}) {
           folder.Write(absl::StrCat("p", part, ".csv"),
                        Zstd(Csv(500 + part, "\n", [](int row) { return absl::StrCat(row % 3); })));
         }
         return data::Csv(folder / "p*.csv");
       }},
      {"Libsvm",
       [](const TempFolder& folder) -> job::DatasetSpec {
         RandomStream random({.seed = 5, .purpose = RandomPurpose::kForTests});
         std::string text;
         for (int row = 0; row < 900; ++row) {
           absl::StrAppend(&text, row % 4);
           for (int k = 1 + static_cast<int>(random.Bounded(3)); k < 30; k += 5)
             absl::StrAppend(&text, " ", k, ":", random.Bounded(100));
           text += '\n';
         }
         return data::Libsvm(folder.Write("r.svm", Gzip(text)));
       }},
      {"NpyFortran",
       [](const TempFolder& folder) -> job::DatasetSpec {
         const std::string values = Noise(2 * 2100 * 60, 128);
         return data::Npy(folder.Write("x.npy", test::Npy("<i2", "(2100, 10, 6)", values, "True")),
                          folder.Write("y.npy", test::Npy("|u1", "(2100,)", Noise(2100, 4))));
       }},
      {"Npz",
       [](const TempFolder& folder) -> job::DatasetSpec {
         return data::Npz(folder.Write(
             "a.npz", test::Zip({{"x.npy", test::Npy("|u1", "(2100, 91)", Noise(2100 * 91, 256))},
                                 {"y.npy", test::Npy("|u1", "(2100,)", Noise(2100, 4))}},
                                true)));
       }},
      {"Cifar100",
       [](const TempFolder& folder) -> job::DatasetSpec {
         std::string bytes;
         for (int i = 0; i < 300; ++i)
           bytes += std::string{static_cast<char>(i % 20), static_cast<char>(i % 100)} +
                    Noise(3072, 200 + i % 50);
         return data::Cifar100(folder.Write("c.bin", Zstd(bytes)));
       }},
      {"ImageFolder",
       [](const TempFolder& folder) -> job::DatasetSpec {
         for (int i = 0; i < 60; ++i) {
           const std::string name = absl::StrCat("images/", i % 3);
           std::filesystem::create_directories(folder / name);
           folder.Write(absl::StrCat(name, "/", i), Png(test::Drawn(9 + i, 70, 3, i)));
         }
         return data::ImageFolder(folder / "images", 12, 10);
       }},
      {"OneExample",
       [](const TempFolder& folder) -> job::DatasetSpec {
         return data::Csv(folder.Write("o.csv", Csv(1, "\n", [](int) { return "x"; })));
       }},
  };
  return cases;
}

class Streaming : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Sources, Streaming, ::testing::ValuesIn(Cases()),
                         [](const auto& info) { return info.param.name; });

TEST_P(Streaming, MemoryIsNotInTheResult) {
  const TempFolder folder;
  const job::DatasetSpec source = GetParam().write(folder);
  for (const NormalizerKind normalizer : {NormalizerKind::kStandardize, NormalizerKind::kMinMax}) {
    for (const CutOrder order : {CutOrder::kShuffled, CutOrder::kSource}) {
      CutOptions options{.normalizer = normalizer, .order = order, .block_bytes = 9000};
      const auto table = ReadSource(source);
      ASSERT_TRUE(table.ok()) << table.status();
      ASSERT_EQ(table->spilled, nullptr);
      MemoryBlocks blocks;
      const auto expected = CutBlocks(*table, options, blocks);
      ASSERT_TRUE(expected.ok()) << expected.status();
      for (const int64_t memory : {1, 1000, 60'000, 300'000}) {
        SCOPED_TRACE(memory);
        const auto streamed = ReadSource(source, {.memory = {.bytes = memory}});
        ASSERT_TRUE(streamed.ok()) << streamed.status();
        EXPECT_TRUE(memory > 1 || table->examples == 1 || streamed->spilled != nullptr);
        options.memory_bytes = memory;
        MemoryBlocks others;
        const auto manifest = CutBlocks(*streamed, options, others);
        ASSERT_TRUE(manifest.ok()) << manifest.status();
        EXPECT_EQ(ManifestToJson(*manifest), ManifestToJson(*expected));
        for (const BlockInfo& block : manifest->blocks) {
          const auto one = others.Get(block.sha256), other = blocks.Get(block.sha256);
          ASSERT_TRUE(one.ok() && other.ok());
          EXPECT_TRUE(**one == **other);
        }
      }
    }
  }
}

TEST(StreamingTest, RowsOfAFileAreThoseOfItsText) {
  const TempFolder folder;
  // Longer than one read, with rows of all lengths and one row that is longer than a read.
  std::string text = "\xef\xbb\xbf";
  RandomStream random({.seed = 8, .purpose = RandomPurpose::kForTests});
  while (text.size() < (3 << 20)) {
    const bool quoted = random.Bounded(3) == 0;
    std::string field(random.Bounded(300), quoted ? '\n' : 'x');
    absl::StrAppend(&text, quoted ? absl::StrCat("\"", field, "\"\"\"") : field, ",1",
                    random.Bounded(2) == 0 ? "\r\n" : "\n\n");
  }
  absl::StrAppend(&text, "\"", std::string(5 << 20, '\n'), "\",2");
  const std::string path = folder.Write("t.csv", text);
  auto file = SourceFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status();
  CsvScanner whole(text, {}, path), part(*file, {});
  std::vector<std::string> expected, found;
  for (;;) {
    const auto more = whole.NextRow(expected), also = part.NextRow(found);
    ASSERT_TRUE(more.ok() && also.ok());
    ASSERT_EQ(*more, *also);
    ASSERT_EQ(part.row(), whole.row());
    ASSERT_EQ(ErrorWhere(part.Bad(0, "", "")), ErrorWhere(whole.Bad(0, "", "")));
    if (!*more) break;
    ASSERT_TRUE(found == expected) << "row " << whole.row();
  }
}

TEST(StreamingTest, EndlessQuoteIsReported) {
  const TempFolder folder;
  const std::string path = folder.Write("t.csv", "a,b\n1,\"x\n" + std::string(3 << 20, '1'));
  const auto read = ReadSource(data::Csv(path));
  EXPECT_THAT(read.status(), IsError(absl::StatusCode::kInvalidArgument, path + ":2"));
  EXPECT_THAT(std::string(read.status().message()), ::testing::HasSubstr("does not end"));
}

TEST(StreamingTest, TemporaryFileHasNoName) {
  const TempFolder folder, spill;
  const job::DatasetSpec source = Cases()[0].write(folder);
  const auto table = ReadSource(source, {.memory = {.bytes = 1, .folder = spill.path()}});
  ASSERT_TRUE(table.ok()) << table.status();
  ASSERT_NE(table->spilled, nullptr);
  EXPECT_TRUE(std::filesystem::is_empty(spill.path()));
}

TEST(StreamingTest, WithoutRoomForItTheFolderIsNamed) {
  const TempFolder folder;
  const job::DatasetSpec source = Cases()[0].write(folder);
  const std::string none = folder / "none";
  const Status status = ReadSource(source, {.memory = {.bytes = 1, .folder = none}}).status();
  EXPECT_THAT(status, IsError(absl::StatusCode::kFailedPrecondition, none));
  EXPECT_THAT(ErrorRemedy(status), ::testing::HasSubstr("TMPDIR"));
}

TEST(StreamingTest, FullDiskIsErrorWithRemedy) {
  const test::SmallDisk disk(1 << 20);
  if (!disk.refused().empty()) GTEST_SKIP() << disk.refused();
  const TempFolder folder;
  const std::string path = folder.Write("x", Idx(8, {2000, 1024}, Noise(2000 * 1024, 256)));
  const job::IdxSource source{.features = path,
                              .labels = folder.Write("y", Idx(8, {2000}, Noise(2000, 9)))};
  const Status read = ReadSource(source, {.memory = {.bytes = 1, .folder = disk.path()}}).status();
  EXPECT_THAT(read, IsError(absl::StatusCode::kResourceExhausted, disk.path()));
  EXPECT_THAT(ErrorRemedy(read), ::testing::HasSubstr("TMPDIR"));
  // Enough space for the rows, but not for sorting them.
  const job::IdxSource half{
      .features = folder.Write("h", Idx(8, {600, 1024}, Noise(600 * 1024, 256))),
      .labels = folder.Write("z", Idx(8, {600}, Noise(600, 9)))};
  const auto table = ReadSource(half, {.memory = {.bytes = 1, .folder = disk.path()}});
  ASSERT_TRUE(table.ok()) << table.status();
  MemoryBlocks blocks;
  EXPECT_THAT(CutBlocks(*table, {.memory_bytes = 1}, blocks).status(),
              IsError(absl::StatusCode::kResourceExhausted, disk.path()));
}

}  // namespace
}  // namespace dl::dataset
