// Parts of what the web server shows of models and data.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/part_name.h"
#include "dataset/readers/image/image_file.h"
#include "dataset/readers/table/date_time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inference/serving/date_text.h"
#include "inference/serving/json_rows.h"
#include "inference/serving/part_reader.h"
#include "inference/serving/png_image.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/rpc/fake_master.h"

namespace dl::inference {
namespace {

using dataset::Schema;
using test::IsError;
using testing::ElementsAre;
using testing::HasSubstr;

// A master with one part of three and a half pieces. It may damage what it sends.
class PartReaderTest : public testing::Test, public rpc::FakeMaster {
 protected:
  PartReaderTest() {
    table_.Add("w", SegmentKind::kParameter, {static_cast<int64_t>(values_.size())});
    for (size_t i = 0; i < values_.size(); ++i) values_[i] = static_cast<float>(i);
    const PartContent content{&table_, values_};
    hashes_ = HashParts({&content, 1}).front();
  }
  StatusOr<rpc::Chunk> FetchCheckpoint(const rpc::FetchRequest& request, Duration) override {
    const std::string_view all = bytes();
    rpc::Chunk chunk{.total = std::ssize(all), .offset = request.offset};
    // Shorter than what was asked for, as a master may answer.
    chunk.bytes = std::string(
        all.substr(static_cast<size_t>(request.offset),
                   static_cast<size_t>(std::min<int64_t>(request.length, kPieceBytes / 2 + 1))));
    if (damaged_ > 0 && request.offset == 2 * kPieceBytes) {
      --damaged_;
      chunk.bytes[0] ^= 1;
    }
    if (request.offset == 0) chunk.piece_hashes = hashes_.pieces;
    chunk.chunk_xxh3 = Xxh3(chunk.bytes);
    return chunk;
  }
  Status EndRead(const rpc::EndReadRequest& request, Duration) override {
    EXPECT_EQ(request.checkpoint, "a-1@3");
    ++ends_;
    return absl::OkStatus();
  }
  std::string_view bytes() const {
    return {reinterpret_cast<const char*>(values_.data()), values_.size() * sizeof(float)};
  }
  StatusOr<std::string> Read(int64_t first, int64_t end) {
    DL_ASSIGN_OR_RETURN(const PartReader reader,
                        PartReader::Open(std::make_shared<CheckpointReading>(*this, "a-1@3"),
                                         "model", table_, hashes_.name));
    std::string read;
    DL_RETURN_IF_ERROR(reader.Read(first, end, [&](std::string_view piece) {
      EXPECT_LE(std::ssize(piece), kPieceBytes);
      read += piece;
      return absl::OkStatus();
    }));
    return read;
  }

  std::vector<float> values_ = std::vector<float>(kPieceBytes / 4 * 7 / 2);
  SegmentTable table_;
  PartHashes hashes_;
  int damaged_ = 0;
  int ends_ = 0;  // calls of EndRead
};

TEST_F(PartReaderTest, ReadingEndsBeforeTheLastBytesArePassedOn) {
  const auto reader = PartReader::Open(std::make_shared<CheckpointReading>(*this, "a-1@3"), "model",
                                       table_, hashes_.name);
  DL_ASSERT_OK(reader);
  EXPECT_EQ(ends_, 0);
  std::vector<int> ends;
  DL_ASSERT_OK(reader->Read(0, 2 * kPieceBytes, [&](std::string_view) {
    ends.push_back(ends_);
    return absl::OkStatus();
  }));
  EXPECT_THAT(ends, ElementsAre(0, 1));
}

TEST_F(PartReaderTest, ReadingEndsWithItsLastReader) {
  {
    const auto reader = PartReader::Open(std::make_shared<CheckpointReading>(*this, "a-1@3"),
                                         "model", table_, hashes_.name);
    DL_ASSERT_OK(reader);
    const PartReader copy = *reader;
    EXPECT_EQ(ends_, 0);
  }
  EXPECT_EQ(ends_, 1);
}

TEST_F(PartReaderTest, ReadsAnyRange) {
  const auto size = std::ssize(bytes());
  const std::pair<int64_t, int64_t> ranges[] = {
      {0, size}, {0, 0}, {1, 2}, {kPieceBytes - 1, kPieceBytes + 1}, {size - 5, size}};
  for (const auto& [first, end] : ranges) {
    const auto read = Read(first, end);
    DL_ASSERT_OK(read);
    EXPECT_TRUE(*read ==
                bytes().substr(static_cast<size_t>(first), static_cast<size_t>(end - first)))
        << first << " to " << end;
  }
}

TEST_F(PartReaderTest, DamagedPieceIsFetchedAgain) {
  damaged_ = limits::kMaxPieceRetries;
  const auto read = Read(0, std::ssize(bytes()));
  DL_ASSERT_OK(read);
  EXPECT_TRUE(*read == bytes());
}

TEST_F(PartReaderTest, PieceThatStaysDamagedIsAnError) {
  damaged_ = limits::kMaxPieceRetries + 1;
  EXPECT_THAT(Read(0, std::ssize(bytes())),
              IsError(absl::StatusCode::kDataLoss, "do not match their hash"));
}

TEST_F(PartReaderTest, PartWithAnotherNameIsNotOpened) {
  hashes_.name[0] = hashes_.name[0] == '0' ? '1' : '0';
  EXPECT_THAT(Read(0, 1), IsError(absl::StatusCode::kDataLoss, "name of the part"));
}

TEST(DateText, GivesTheDateThatWasEncoded) {
  for (const char* text : {"2020-01-31", "1969-12-31", "0001-01-01", "9999-12-31", "2020-02-29",
                           "2020-01-31T12:30", "1969-12-31T23:59", "2020-01-31T12:30:05"}) {
    const auto time = dataset::ParseDateTime(text);
    ASSERT_TRUE(time) << text;
    const double days = dataset::DaysSince1970(*time);
    const double origin = std::floor(days);
    EXPECT_EQ(DateText(static_cast<float>(days - origin), origin, ""), text);
    EXPECT_EQ(DateText(static_cast<double>(time->year), static_cast<double>(time->month),
                       static_cast<double>(time->day), static_cast<double>(time->hour),
                       static_cast<double>(time->minute) + time->second / 60, ""),
              text);
  }
  // A float32 of these days has steps of three minutes.
  EXPECT_EQ(DateText(18292.5F, 0, "+02:00"), "2020-01-31T12:00+02:00");
  EXPECT_EQ(DateText(18292.5F, 0, "EST"), "2020-01-31T12:00 EST");
  EXPECT_EQ(DateText(18292, 0, "+02:00"), "2020-01-31");
  EXPECT_EQ(DateText(1e9F, 0, ""), "");
  EXPECT_EQ(DateText(2020, 13, 1, 0, 0, ""), "");
}

Json RowsOf(const std::string& text) { return ParseJson(text, "rows").value(); }

Schema TableSchema() {
  return {
      .feature_shape = {3},
      .features = dataset::FloatFeatures{.names = {"age", "kind=a", "kind=b"},
                                         .columns = {{.name = "age", .fill_number = 7},
                                                     {.name = "kind",
                                                      .encoding = dataset::ColumnEncoding::kOneHot,
                                                      .categories = {"a", "b"},
                                                      .fill_category = "b"}}},
      .labels = dataset::ClassLabels{.classes = 2, .names = {"no", "yes"}},
      .label_columns = {"answer"}};
}

TEST(JsonRows, TableIsReadByNameAndByPlace) {
  const auto table = TableOfRows(
      RowsOf(R"([{"kind":"a","age":1.5},{"age":null,"kind":null,"answer":"no"},[2,"b"]])"),
      TableSchema());
  DL_ASSERT_OK(table);
  EXPECT_EQ(table->examples, 3);
  constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(table->f32,
              testing::Pointwise(testing::NanSensitiveFloatEq(),
                                 {1.5f, 1.0f, 0.0f, kMissing, 0.0f, 1.0f, 2.0f, 0.0f, 1.0f}));
}

TEST(JsonRows, UnknownCategoriesAreCounted) {
  std::vector<dataset::UnknownCategories> unknown;
  DL_EXPECT_OK(TableOfRows(RowsOf(R"([[3,"z"],[4,"a"]])"), TableSchema(), &unknown));
  ASSERT_EQ(unknown.size(), 1);
  EXPECT_EQ(unknown[0].column, "kind");
  EXPECT_EQ(unknown[0].unknown, 1);
  EXPECT_EQ(unknown[0].values, 2);
  EXPECT_EQ(unknown[0].example, "z");
}

TEST(JsonRows, TextsCannotBecomeOtherFields) {
  const auto table = TableOfRows(RowsOf(R"([[3,"x\",\"b\n4"],[4,"a"]])"), TableSchema());
  DL_ASSERT_OK(table);
  EXPECT_THAT(table->f32, ElementsAre(3, 0, 0, 4, 1, 0));
}

TEST(JsonRows, WrongRowsOfTablesAreErrors) {
  const std::pair<const char*, const char*> cases[] = {
      {R"([{"age":1}])", "lacks the column"},
      {R"([{"age":1,"kimd":"a","kind":"a"}])", "did you mean \"kind\""},
      {R"([[1]])", "it has 1 values"},
      {R"([7])", "object or a list"},
      {R"([[1,["a"]]])", "a number, a text or null"},
      {R"([[1,"a"],["x","a"]])", "column 1 (\"age\"): \"x\" is not a number (at rows[1])"},
  };
  for (const auto& [rows, text] : cases) {
    const auto table = TableOfRows(RowsOf(rows), TableSchema());
    EXPECT_TRUE(absl::IsInvalidArgument(table.status())) << rows;
    EXPECT_THAT(DescribeError(table.status()), HasSubstr(text)) << rows;
    EXPECT_THAT(DescribeError(table.status()), HasSubstr("rows")) << rows;
    EXPECT_THAT(DescribeError(table.status()), testing::Not(HasSubstr("/proc/"))) << rows;
  }
}

TEST(JsonRows, ArraysAreReadInAnyNesting) {
  const Schema schema{.feature_shape = {1, 2, 2}, .features = dataset::ByteFeatures{}};
  const auto table = TableOfRows(RowsOf("[[[[1,2],[3,4]]],[5,6,7,255]]"), schema);
  DL_ASSERT_OK(table);
  EXPECT_THAT(table->u8, ElementsAre(1, 2, 3, 4, 5, 6, 7, 255));
  for (const char* wrong :
       {"[[1,2,3]]", "[[1,2,3,256]]", "[[1,2,3,0.5]]", "[[1,2,3,\"4\"]]", "[[1,2,3,-1]]", "[{}]"}) {
    EXPECT_THAT(TableOfRows(RowsOf(wrong), schema),
                IsError(absl::StatusCode::kInvalidArgument, "rows[0]"))
        << wrong;
  }
}

TEST(JsonRows, NestedListsMustHaveTheShapeOfTheModel) {
  const Schema schema{.feature_shape = {3, 2, 1}, .features = dataset::ByteFeatures{}};
  DL_EXPECT_OK(TableOfRows(RowsOf("[[1,2,3,4,5,6],[[1,2],[3,4],[5,6]]]"), schema));
  for (const char* wrong :
       {"[[[[1,2,3]],[[4,5,6]]]]", "[[[1,2,3],[4,5,6]]]", "[[[1,2],[3,4,5,6]]]"}) {
    EXPECT_THAT(TableOfRows(RowsOf(wrong), schema),
                IsError(absl::StatusCode::kInvalidArgument, "3x2x1, in this order"))
        << wrong;
  }
}

TEST(JsonRows, OriginsAreSubtractedBeforeNumbersAreRounded) {
  const Schema schema{.feature_shape = {2, 2},
                      .features = dataset::FloatFeatures{.origins = {1e9, 0}},
                      .variable_length = true};
  const auto table =
      TableOfRows(RowsOf("[[[1000000001,2],[1000000003,4]],[1000000000,5]]"), schema);
  DL_ASSERT_OK(table);
  EXPECT_THAT(table->f32, ElementsAre(1, 2, 3, 4, 0, 5, 0, 0));
  EXPECT_THAT(table->lengths, ElementsAre(2, 1));
}

TEST(PngImage, IsReadByADecoder) {
  const test::TempFolder folder;
  // More bytes than a stored block of zlib has.
  constexpr int64_t kWidth = 200, kHeight = 150;
  for (const int64_t channels : {1, 3}) {
    std::vector<uint8_t> pixels(kWidth * kHeight * channels);
    for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<uint8_t>(i * 7 + i / 251);
    const std::string path =
        folder.Write(absl::StrCat(channels, ".png"), EncodePng(pixels, kWidth, kHeight, channels));
    const auto image = dataset::OpenImage(path);
    DL_ASSERT_OK(image);
    EXPECT_EQ((*image)->header().width, kWidth);
    EXPECT_EQ((*image)->header().height, kHeight);
    ASSERT_EQ((*image)->header().channels, channels);
    DL_ASSERT_OK((*image)->Begin());
    std::vector<uint8_t> read(pixels.size());
    const size_t row = kWidth * channels;
    for (size_t at = 0; at < read.size(); at += row)
      DL_ASSERT_OK((*image)->ReadRow(std::span(read).subspan(at, row)));
    DL_EXPECT_OK((*image)->Finish());
    EXPECT_EQ(read, pixels);
  }
}

TEST(PngImage, Base64IsThatOfTheStandard) {
  EXPECT_EQ(EncodeBase64("foob"), "Zm9vYg==");
  EXPECT_EQ(EncodeBase64("\xff\xfe"), "//4=");
}

}  // namespace
}  // namespace dl::inference
