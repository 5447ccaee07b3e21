// Tests which files a source names, and how they are compressed.
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "dataset/readers/array/idx_reader.h"
#include "dataset/readers/image/cifar_reader.h"
#include "dataset/readers/source.h"
#include "dataset/readers/source_file.h"
#include "dataset/readers/source_paths.h"
#include "dataset/readers/table/csv_reader.h"
#include "dataset/readers/table/table_guess.h"
#include "dataset/readers/text/text_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/dataset/packed_bytes.h"

namespace dl::dataset {
namespace {

using test::Gzip;
using test::Idx;
using test::IsError;
using test::TempFolder;
using test::Zstd;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SourceFiles : public testing::Test {
 protected:
  TempFolder folder_;
};

TEST_F(SourceFiles, PatternSortsFilesByBytes) {
  for (const char* name : {"p-2.csv", "p-10.csv", "p-A.csv", "p-a.csv", "q.csv", ".p-0.csv"})
    folder_.Write(name, "");
  const auto paths = SourcePaths({folder_ / "q.csv", folder_ / "p-*.csv"});
  DL_ASSERT_OK(paths);
  EXPECT_THAT(*paths, ElementsAre(folder_ / "q.csv", folder_ / "p-10.csv", folder_ / "p-2.csv",
                                  folder_ / "p-A.csv", folder_ / "p-a.csv"));
  const auto digits = SourcePaths(folder_ / "p-[0-9].csv");
  DL_ASSERT_OK(digits);
  EXPECT_THAT(*digits, ElementsAre(folder_ / "p-2.csv"));
  std::filesystem::create_directory(folder_ / "d");
  std::filesystem::create_directory(folder_ / "e");
  folder_.Write("d/x", "");
  folder_.Write("e/x", "");
  const auto folders = SourcePaths(folder_ / "?/x");
  DL_ASSERT_OK(folders);
  EXPECT_THAT(*folders, ElementsAre(folder_ / "d/x", folder_ / "e/x"));
}

TEST_F(SourceFiles, ExistingFileIsNoPattern) {
  const std::string odd = folder_.Write("a[1].csv", "");
  folder_.Write("a1.csv", "");
  const auto paths = SourcePaths(odd);
  DL_ASSERT_OK(paths);
  EXPECT_THAT(*paths, ElementsAre(odd));
}

TEST_F(SourceFiles, MistakesNameThePatternOrTheFile) {
  EXPECT_THAT(SourcePaths(folder_ / "none-*.csv").status(),
              IsError(absl::StatusCode::kNotFound, folder_ / "none-*.csv"));
  EXPECT_THAT(SourcePaths(folder_ / "none-*.csv").status(),
              IsError(absl::StatusCode::kNotFound, "no file matches the pattern"));
  EXPECT_THAT(SourcePaths(folder_ / "none/*.csv").status(),
              IsError(absl::StatusCode::kNotFound, "no file matches the pattern"));
  const std::string one = folder_.Write("one.csv", "");
  const Status twice = SourcePaths({one, folder_ / "o*.csv"}).status();
  EXPECT_THAT(twice, IsError(absl::StatusCode::kInvalidArgument, one));
  EXPECT_THAT(twice, IsError(absl::StatusCode::kInvalidArgument, "named twice"));
  EXPECT_FALSE(SourcePaths(job::Files()).ok());
  EXPECT_FALSE(SourcePaths(std::vector<std::string>(10'001, one)).ok());
  const std::string none = folder_ / "none.csv";  // reported when it is opened
  DL_EXPECT_OK(SourcePaths(none));
}

// ---- compression ----

TEST_F(SourceFiles, EachPackingIsReadWhateverTheNameSays) {
  const std::string images = Idx(8, {3, 2, 2}, "abcdefghijkl"), labels = Idx(8, {3}, {2, 0, 1}),
                    table = "a,b,k\n1,2,x\n3,4,y\n",
                    record = std::string(1, 7) + std::string(3072, 'p');
  const auto prints = [&](auto pack) {
    const auto print = [](const job::DatasetSpec& source) -> std::string {
      const auto read = ReadSource(source);
      EXPECT_TRUE(read.ok()) << read.status();
      return read.ok() ? ContentFingerprint(*read).value() : "";
    };
    return std::vector<std::string>{
        print(data::Idx(folder_.Write("x.gz", pack(images)), folder_.Write("y", pack(labels)))),
        print(data::Csv(folder_.Write("t.csv", pack(table)))),
        print(data::Cifar10(folder_.Write("b.zst", pack(record))))};
  };
  const auto plain = prints([](const std::string& bytes) { return bytes; });
  EXPECT_EQ(prints(Gzip), plain);
  EXPECT_EQ(prints(Zstd), plain);
  EXPECT_EQ(prints([](const std::string& bytes) {  // several frames, one after the other
              return Zstd(bytes.substr(0, 5)) + Zstd("") + Zstd(bytes.substr(5));
            }),
            plain);
}

TEST_F(SourceFiles, TruncatedOrDamagedZstdIsReported) {
  const std::string packed = Zstd("a,k\n1,x\n2,y\n3,x\n");
  for (size_t size = 0; size < packed.size(); ++size) {
    SCOPED_TRACE(size);
    const auto read = ReadCsv(data::Csv(folder_.Write("t.csv", packed.substr(0, size))));
    EXPECT_FALSE(read.ok());
    if (size >= 4) {
      EXPECT_THAT(read.status(), IsError(absl::StatusCode::kDataLoss, "ends too early"));
      EXPECT_EQ(ErrorWhere(read.status()), folder_ / "t.csv");
    }
  }
  std::string damaged = packed;
  damaged.back() ^= 1;  // of the checksum
  EXPECT_THAT(ReadCsv(data::Csv(folder_.Write("t.csv", damaged))).status(),
              IsError(absl::StatusCode::kDataLoss, "cannot be unpacked"));
  EXPECT_THAT(ReadCsv(data::Csv(folder_.Write("t.csv", packed + "garbage"))).status(),
              IsError(absl::StatusCode::kDataLoss, "cannot be unpacked"));
}

// A few kilobytes that decompress to a gigabyte: one row, or an image that is declared smaller.
TEST_F(SourceFiles, BombEndsAtInvalidContent) {
  std::string bomb;
  const std::string mebibyte = Zstd(std::string(1 << 20, '1'));
  for (int i = 0; i < 1024; ++i) bomb += mebibyte;
  ASSERT_LT(bomb.size(), 200'000u);
  const std::string path = folder_.Write("bomb", Zstd("a,k\n") + bomb);
  EXPECT_THAT(ReadCsv(data::Csv(path)).status(),
              IsError(absl::StatusCode::kInvalidArgument, "has more than 67108864 bytes"));
  const std::string labels = folder_.Write("y", Idx(8, {3}, {2, 0, 1}));
  const std::string images = folder_.Write("x", Zstd(Idx(8, {3, 2, 2}, "")) + bomb);
  EXPECT_THAT(ReadIdx(data::Idx(images, labels)).status(),
              IsError(absl::StatusCode::kDataLoss, "continues after"));
}

TEST_F(SourceFiles, ArchivesInCompressedFilesAreNamed) {
  const std::string tar =
      "a.csv" + std::string(95, '\0') + "0000644" + std::string(150, '0') + "ustar\n";
  for (const std::string& packed : {Gzip(tar), Zstd(tar)}) {
    EXPECT_THAT(ReadText({.path = folder_.Write("t.txt", packed), .steps = 1}, {}).status(),
                IsError(absl::StatusCode::kInvalidArgument, "the file is a tar archive"));
  }
  EXPECT_THAT(ReadCsv(data::Csv(folder_.Write("t.csv", Gzip(Gzip("a,k\n1,x\n"))))).status(),
              IsError(absl::StatusCode::kInvalidArgument, "the file is compressed twice"));
}

TEST_F(SourceFiles, UnpackableFormatIsRefusedUnread) {
  const std::string labels = folder_.Write("y", Idx(8, {3}, {2, 0, 1}));
  const std::string images = folder_.Write("x", Zstd(Idx(8, {1 << 20, 1024, 1024}, "few")));
  EXPECT_THAT(ReadIdx(data::Idx(images, labels)).status(),
              IsError(absl::StatusCode::kDataLoss, "the compressed file has"));
}

// ---- several files ----

TEST_F(SourceFiles, TablesOneAfterTheOther) {
  folder_.Write("p1.csv", "a,b,k\n1,2,x\n");
  folder_.Write("p2.csv", Zstd("a,b,k\n3,4,y\n5,6,x\n"));
  folder_.Write("p3.csv", Gzip("\xef\xbb\xbf"
                               "a,b,k\r\n7,8,w\r\n"));
  const auto several = ReadCsv(data::Csv(folder_ / "p*.csv"));
  DL_ASSERT_OK(several);
  const auto one =
      ReadCsv(data::Csv(folder_.Write("one.csv", "a,b,k\n1,2,x\n3,4,y\n5,6,x\n7,8,w\n")));
  DL_ASSERT_OK(one);
  EXPECT_EQ(*ContentFingerprint(*several), *ContentFingerprint(*one));
  const auto bare =
      ReadCsv(data::Csv({folder_.Write("b1", "1,x\n"), folder_.Write("b2", "2,y\n")}).NoHeader());
  DL_ASSERT_OK(bare);
  EXPECT_EQ(bare->examples, 2);
  const auto guessed = GuessTable(folder_ / "p*.csv");
  DL_ASSERT_OK(guessed);
  EXPECT_EQ(guessed->source.path, job::Files(folder_ / "p*.csv"));
  EXPECT_TRUE(guessed->source.header);
  EXPECT_EQ(guessed->report.rows, 4);
}

TEST_F(SourceFiles, HeadersThatDifferNameFileAndColumn) {
  const std::string first = folder_.Write("p1.csv", "a,b,k\n1,2,x\n");
  const auto read = [&](const std::string& second, bool header = true) {
    job::CsvSource source = data::Csv({first, folder_.Write("p2.csv", second)});
    if (!header) source = source.NoHeader().LabelColumn(-1);
    return ReadCsv(source).status();
  };
  const Status other = read("a,c,k\n3,4,y\n");
  EXPECT_THAT(other, IsError(absl::StatusCode::kInvalidArgument, folder_ / "p2.csv:1"));
  EXPECT_THAT(std::string(other.message()),
              HasSubstr("row 1, column 2: the column is \"c\", in " + first + " it is \"b\""));
  EXPECT_THAT(read("b,a,k\n3,4,y\n"), IsError(absl::StatusCode::kInvalidArgument, "column 1"));
  EXPECT_THAT(read("a,b,c,k\n3,4,5,y\n"), IsError(absl::StatusCode::kInvalidArgument, "column 3"));
  EXPECT_THAT(read("a,b\n3,4\n"),
              IsError(absl::StatusCode::kInvalidArgument, "the header has 2 columns"));
  EXPECT_THAT(read("3,4,y\n"), IsError(absl::StatusCode::kInvalidArgument, "the column is \"3\""));
  EXPECT_THAT(read("a,b,k\n"), IsError(absl::StatusCode::kInvalidArgument, "no row follows"));
  EXPECT_THAT(read(""), IsError(absl::StatusCode::kInvalidArgument, "is empty"));
  folder_.Write("p1.csv", "1,2,x\n");
  EXPECT_THAT(read("3,y\n", false),
              IsError(absl::StatusCode::kInvalidArgument, "has 2 fields, the first row has 3"));
}

TEST_F(SourceFiles, ImagesAndTheirLabelsInPairs) {
  const std::string x1 = folder_.Write("x1", Idx(8, {2, 2, 1}, "abcd")),
                    y1 = folder_.Write("y1", Idx(8, {2}, {1, 0})),
                    x2 = folder_.Write("x2", Zstd(Idx(8, {1, 2, 1}, "ef"))),
                    y2 = folder_.Write("y2", Idx(8, {1}, {2}));
  const auto several = ReadIdx(data::Idx(folder_ / "x?", folder_ / "y?"));
  DL_ASSERT_OK(several);
  EXPECT_EQ(several->examples, 3);
  EXPECT_EQ(several->classes, (std::vector<int32_t>{1, 0, 2}));
  EXPECT_EQ(std::string(several->u8.begin(), several->u8.end()), "abcdef");
  EXPECT_THAT(ReadIdx(data::Idx({x1, x2}, y1)).status(),
              IsError(absl::StatusCode::kInvalidArgument, "1 file of labels, but 2 files"));
  EXPECT_THAT(ReadIdx(data::Idx({x1, x2}, {y2, y1})).status(),
              IsError(absl::StatusCode::kDataLoss, "1 labels for 2 examples"));
  const std::string wide = folder_.Write("x3", Idx(8, {1, 3, 1}, "ghi")),
                    floats = folder_.Write("x4", Idx(0x0d, {1, 2, 1}, std::string(8, '\0')));
  EXPECT_THAT(ReadIdx(data::Idx({x1, wide}, {y1, y2})).status(),
              IsError(absl::StatusCode::kDataLoss, "has examples of 1x3x1, those of " + x1));
  EXPECT_THAT(ReadIdx(data::Idx({x1, floats}, {y1, y2})).status(),
              IsError(absl::StatusCode::kDataLoss, "has no bytes as values, unlike " + x1));
}

TEST_F(SourceFiles, AdditionalFileChangesFingerprint) {
  folder_.Write("p1.csv", "a,k\n1,x\n");
  const job::DatasetSpec source = data::Csv(folder_ / "p*.csv");
  const auto before = SourceFingerprint(source, {});
  DL_ASSERT_OK(before);
  folder_.Write("p2.csv", "a,k\n2,y\n");
  const auto after = SourceFingerprint(source, {});
  DL_ASSERT_OK(after);
  EXPECT_NE(*before, *after);
  folder_.Write("p2.csv", "a,k\n22,y\n");
  const auto changed = SourceFingerprint(source, {});
  DL_ASSERT_OK(changed);
  EXPECT_NE(*after, *changed);
  EXPECT_THAT(SourceFingerprint(data::Csv(folder_ / "q*.csv"), {}).status(),
              IsError(absl::StatusCode::kNotFound, "no file matches"));
}

}  // namespace
}  // namespace dl::dataset
