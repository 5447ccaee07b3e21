// Tests that the number of threads changes neither tables nor errors.
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/philox.h"
#include "dataset/readers/image/image_folder_reader.h"
#include "dataset/readers/source.h"
#include "dataset/readers/table/csv_scanner.h"
#include "dataset/readers/table/table_guess.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/dataset/image_bytes.h"

namespace dl::dataset {
namespace {

using test::IsError;
using ::testing::AllOf;
using ::testing::HasSubstr;

class ThreadsOfReaders : public testing::TestWithParam<int64_t> {
 protected:
  // Several pieces of a file, with numbers, categories, quotes and missing values.
  static std::string Rows(int rows) {
    RandomStream random({.seed = 6, .purpose = RandomPurpose::kForTests});
    std::string text = "number,word,long,few,\"a \"\"b\"\"\",label\n";
    for (int i = 0; i < rows; ++i) {
      absl::StrAppend(&text, static_cast<double>(random.Bounded(1 << 20)) / 977.0, ",",
                      random.Bounded(3) == 0 ? "\"red, \"\"x\"\"\"" : "blue", ",",
                      1'700'000'000 + random.Bounded(1 << 20), ",", random.Bounded(5), ",",
                      random.Bounded(50) == 0 ? "" : "2.5", ",",
                      random.Bounded(2) == 0 ? "yes" : "no", "\n");
    }
    return text;
  }
  static std::string Texts(const GuessedTable& guessed) {
    std::string text = absl::StrCat(job::ToJson(job::DatasetSpec(guessed.source)).dump(), "\n",
                                    guessed.report.rows, guessed.report.label, "\n");
    for (const ColumnReport& column : guessed.report.columns) {
      absl::StrAppend(&text, column.name, " ", column.type, " ", column.distinct, " ",
                      column.missing, " ", column.example, " ", column.use, "\n");
    }
    for (const TableNote& note : guessed.report.notes) absl::StrAppend(&text, note.text, "\n");
    return text;
  }

  void WriteImages() {
    for (int i = 0; i < 60; ++i) {
      const auto pixels = test::Drawn(20 + i % 7, 24, 3, static_cast<uint64_t>(i));
      WriteImage(i,
                 i % 3 == 0 ? test::Png(pixels) : test::Jpeg(pixels, {.progressive = i % 3 == 1}));
    }
  }
  void WriteImage(int number, const std::string& bytes) {
    const std::string of_class = number < 25 ? "set/a" : "set/b";
    std::filesystem::create_directories(folder_ / of_class);
    folder_.Write(absl::StrCat(of_class, "/", 100 + number, ".png"), bytes);
  }
  job::ImageFolderSource Images() const { return data::ImageFolder(folder_ / "set", 20, 24); }

  test::TempFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Threads, ThreadsOfReaders, testing::Values(2, 3, 5));

TEST_P(ThreadsOfReaders, GuessesAndTablesAreThoseOfOneThread) {
  const std::string path = folder_.Write("t.csv", Rows(40'000));
  const auto one = GuessTable(path, {.threads = 1});
  const auto several = GuessTable(path, {.threads = GetParam()});
  DL_ASSERT_OK(one);
  DL_ASSERT_OK(several);
  EXPECT_EQ(Texts(*several), Texts(*one));
  const auto expected = ReadSource(one->source, {.may_shift = true, .threads = 1});
  const auto found = ReadSource(one->source, {.may_shift = true, .threads = GetParam()});
  DL_ASSERT_OK(expected);
  DL_ASSERT_OK(found);
  EXPECT_EQ(found->schema, expected->schema);
  EXPECT_EQ(found->examples, 40'000);
  EXPECT_EQ(*ContentFingerprint(*found), *ContentFingerprint(*expected));
  EXPECT_EQ(found->warnings, expected->warnings);
}

TEST_P(ThreadsOfReaders, FirstBadRowIsReported) {
  const std::string good = Rows(40'000);
  const auto expect = [&](const std::string& text, const std::string& message) {
    const auto source = data::Csv(folder_.Write("t.csv", text))
                            .FindCategorical()
                            .OnMissing(job::MissingNumber::kMean, {});
    const Status one = ReadSource(source, {.threads = 1}).status();
    EXPECT_THAT(one, IsError(absl::StatusCode::kInvalidArgument, message));
    EXPECT_EQ(ReadSource(source, {.threads = GetParam()}).status(), one);
  };
  // A row of which all threads read later rows: a text among numbers, then too few fields, an open
  // quote and a byte 0.
  const std::string text = good + "x,blue,1,2,3,yes\n" + good.substr(good.find('\n') + 1);
  expect(text + "1,2\n\"", "row 40002, column 1");
  expect(good + "1,2\n" + good + "x,blue,1,2,3,yes\n", "row 40002: has 2 fields");
  // The mistake that the scanner finds is in the rows that are scanned meanwhile.
  for (const size_t between : {100'000, 300'000, 600'000}) {
    const size_t begin = good.find('\n') + 1, end = good.find('\n', begin + between) + 1;
    expect(good + "1,2\n" + good.substr(begin, end - begin) + "\"x\"y\n" + good,
           "row 40002: has 2 fields");
  }
  expect(good + "\"x,blue,1,2,3,yes\n" + good, "row 40002: text follows a closing quote");
  expect(good + std::string(1, '\0') + good, "line 40002 holds a byte 0");
}

TEST_P(ThreadsOfReaders, ImagesAreThoseOfOneThread) {
  WriteImages();
  std::vector<std::string> paths;
  const auto expected = ReadSource(Images(), {.threads = 1});
  const auto found = ReadSource(Images(), {.threads = GetParam(), .paths = &paths});
  DL_ASSERT_OK(expected);
  DL_ASSERT_OK(found);
  EXPECT_EQ(found->u8, expected->u8);
  EXPECT_EQ(found->classes, expected->classes);
  EXPECT_EQ(found->schema, expected->schema);
  EXPECT_EQ(paths.size(), 60);
  EXPECT_TRUE(std::ranges::is_sorted(paths));
}

TEST_P(ThreadsOfReaders, FirstBadImageIsNamed) {
  WriteImages();
  WriteImage(31, "no image");
  const auto read = [&] {
    const Status one = ReadSource(Images(), {.threads = 1}).status();
    EXPECT_EQ(ReadSource(Images(), {.threads = GetParam()}).status(), one);
    return one;
  };
  EXPECT_THAT(read(), IsError(absl::StatusCode::kInvalidArgument, "neither PNG nor JPEG"));
  EXPECT_EQ(ErrorWhere(read()), folder_ / "set/b/131.png");
  WriteImage(30, test::Png(test::Drawn(20, 24, 3)).substr(0, 300));
  EXPECT_THAT(std::string(read().message()),
              AllOf(HasSubstr("2 files are not readable images"), HasSubstr("130.png")));
}

TEST_P(ThreadsOfReaders, StoppedReadingReturnsTheError) {
  WriteImages();
  int asked = 0;
  ReadOptions options{.threads = GetParam()};
  options.may_go_on = [&] {
    return ++asked < 40 ? absl::OkStatus() : Cancelled({.message = "enough"});
  };
  EXPECT_THAT(ReadSource(Images(), options).status(),
              IsError(absl::StatusCode::kCancelled, "enough"));
  EXPECT_EQ(asked, 40);
}

TEST_P(ThreadsOfReaders, LargeImagesWaitForTheMemory) {
  // Each needs more than half of the least memory for an image.
  for (int i = 0; i < 8; ++i)
    WriteImage(i, test::Jpeg(test::Drawn(1500, 1500, 3), {.progressive = true, .quality = 30}));
  const auto expected = ReadSource(Images(), {.threads = 1});
  const auto found = ReadSource(
      Images(), {.memory = {.bytes = 1, .folder = folder_.path()}, .threads = GetParam()});
  DL_ASSERT_OK(expected);
  DL_ASSERT_OK(found);
  EXPECT_EQ(*ContentFingerprint(*found), *ContentFingerprint(*expected));
}

TEST(CsvScannerTest, BatchesHaveTheRowsOfNextRow) {
  const test::TempFolder folder;
  std::string text;
  RandomStream random({.seed = 9, .purpose = RandomPurpose::kForTests});
  while (text.size() < (2 << 20)) {
    const bool is_quoted = random.Bounded(3) == 0;
    const std::string field(random.Bounded(90), is_quoted ? ',' : 'x');
    absl::StrAppend(&text, is_quoted ? absl::StrCat("\"", field, "\"\"\n\"") : field, ", 1 ",
                    random.Bounded(2) == 0 ? "\r\n" : "\n");
  }
  const std::string path = folder.Write("t.csv", text);
  auto file = SourceFile::Open(path), again = SourceFile::Open(path);
  DL_ASSERT_OK(file);
  DL_ASSERT_OK(again);
  CsvScanner rows(*file, {}), batches(*again, {});
  std::vector<std::string> expected;
  std::vector<CsvRowBatch> kept;  // the views stay valid
  for (;;) {
    CsvRowBatch batch;
    const auto more = batches.NextRows(batch);
    DL_ASSERT_OK(more);
    if (!*more) break;
    kept.push_back(std::move(batch));
  }
  EXPECT_GT(kept.size(), 4);
  for (const CsvRowBatch& batch : kept) {
    for (const CsvRowBatch::Row& row : batch.rows) {
      const auto more = rows.NextRow(expected);
      ASSERT_TRUE(more.ok() && *more);
      ASSERT_TRUE(std::ranges::equal(batch.FieldsOf(row), expected)) << row.row;
      ASSERT_EQ(row.row, rows.row());
      ASSERT_EQ(row.line, rows.line());
    }
  }
  EXPECT_FALSE(*rows.NextRow(expected));
}

}  // namespace
}  // namespace dl::dataset
