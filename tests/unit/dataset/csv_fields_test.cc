// Tests fields and numbers of CSV files that are longer than a piece that is read at a time.
// Expected values come from the generator and from the standard library.
#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/philox.h"
#include "dataset/readers/table/csv_reader.h"
#include "dataset/readers/table/csv_scanner.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl::dataset {
namespace {

// A file and the fields that it has.
struct WrittenTable {
  std::string text;
  std::vector<std::vector<std::string>> rows;
};

class FieldWriter {
 public:
  explicit FieldWriter(char separator) : separator_(separator) {}

  // Writes rows until the text has `bytes` bytes.
  WrittenTable Write(size_t bytes) {
    WrittenTable table;
    while (table.text.size() < bytes) {
      std::vector<std::string> fields;
      for (uint32_t i = random_.Bounded(12) + 2; i > 0; --i) {
        if (!fields.empty()) table.text.push_back(separator_);
        fields.push_back(WriteField(table.text));
      }
      table.rows.push_back(std::move(fields));
      table.text += kLineEnds[random_.Bounded(3)];
      // Another CR would end an empty line, too.
      if (random_.Bounded(9) == 0) table.text += "\n\n";
    }
    return table;
  }

 private:
  static constexpr const char* kLineEnds[] = {"\n", "\r\n", "\r"};

  std::string WriteField(std::string& text) {
    static constexpr std::string_view kCharacters = "0123456789.-+eEx_";
    static constexpr std::string_view kInQuotes = "0,;\t \"\r\n'x";
    const bool is_quoted = random_.Bounded(4) == 0;
    const std::string_view of = is_quoted ? kInQuotes : kCharacters;
    std::string field;
    for (uint32_t i = random_.Bounded(random_.Bounded(20) == 0 ? 200 : 12); i > 0; --i)
      field.push_back(of[random_.Bounded(static_cast<uint32_t>(of.size()))]);
    // Blanks around a field do not belong to it. A line of blanks alone is skipped, so an empty
    // field is quoted.
    const std::string before = random_.Bounded(5) == 0 ? "  " : "";
    const std::string after = random_.Bounded(5) == 0 ? " " : "";
    if (is_quoted || field.empty())
      absl::StrAppend(&text, before, "\"", absl::StrReplaceAll(field, {{"\"", "\"\""}}), "\"",
                      after);
    else
      absl::StrAppend(&text, before, field, after);
    return field;
  }

  const char separator_;
  RandomStream random_{{.seed = 11, .purpose = RandomPurpose::kForTests}};
};

TEST(CsvFields, FieldsAreThoseThatWereWritten) {
  const test::TempFolder folder;
  for (const char separator : {',', ';', '\t'}) {
    const WrittenTable table = FieldWriter(separator).Write(1 << 20);
    auto file = SourceFile::Open(folder.Write("t.csv", table.text));
    DL_ASSERT_OK(file);
    CsvScanner of_file(*file, {.separator = separator});
    CsvScanner of_text(table.text, {.separator = separator}, "text");
    CsvRowBatch batch;
    std::vector<std::string> fields;
    size_t row = 0;
    for (;;) {
      const auto more = of_file.NextRows(batch);
      DL_ASSERT_OK(more);
      if (!*more) break;
      for (const CsvRowBatch::Row& at : batch.rows) {
        ASSERT_LT(row, table.rows.size());
        ASSERT_TRUE(std::ranges::equal(batch.FieldsOf(at), table.rows[row])) << row;
        ASSERT_TRUE(*of_text.NextRow(fields));
        ASSERT_EQ(fields, table.rows[row]) << row;
        ++row;
      }
    }
    EXPECT_EQ(row, table.rows.size());
    EXPECT_FALSE(*of_text.NextRow(fields));
  }
}

// Writes a number in one of the notations that tables have.
std::string WrittenNumber(RandomStream& random) {
  const auto digits = [&](uint32_t most) {
    std::string text;
    for (uint32_t i = random.Bounded(most) + 1; i > 0; --i)
      text.push_back(static_cast<char>('0' + random.Bounded(10)));
    return text;
  };
  const std::string sign = random.Bounded(3) == 0 ? "-" : random.Bounded(9) == 0 ? "+" : "";
  switch (random.Bounded(8)) {
    case 0:
      return absl::StrCat(sign, digits(7));
    case 1:
      return absl::StrCat(sign, digits(3), ".", digits(4));
    case 2:
      return absl::StrCat(sign, digits(2), ".", digits(17));
    case 3:
      return absl::StrCat(sign, digits(1), ".", digits(6), "e", random.Bounded(2) ? "-" : "+",
                          random.Bounded(38));
    case 4:
      return absl::StrCat(sign, "000", digits(9), ".");
    case 5:
      return absl::StrCat(sign, ".", digits(14));
    case 6:
      return absl::StrCat(sign, digits(20));
    default:
      return absl::StrCat(sign, digits(3), "e-", random.Bounded(2) ? "5000" : "40");
  }
}

// Returns the float32 nearest to the text.
float Nearest(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  float value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  return read.ec == std::errc::result_out_of_range ? 0.0f : value;
}

TEST(CsvFields, NumbersAreTheNearestFloats) {
  constexpr int64_t kColumns = 17;
  const test::TempFolder folder;
  RandomStream random({.seed = 12, .purpose = RandomPurpose::kForTests});
  std::string text;
  std::vector<std::string> numbers;
  while (text.size() < (1 << 20)) {
    for (int64_t i = 0; i < kColumns; ++i) {
      const std::string& number = numbers.emplace_back(WrittenNumber(random));
      const bool is_quoted = random.Bounded(10) == 0;
      absl::StrAppend(&text, is_quoted ? absl::StrCat("\"", number, "\"") : number, ",");
    }
    absl::StrAppend(&text, random.Bounded(2), random.Bounded(2) ? "\n" : "\r\n");
  }
  const job::CsvSource source{.path = folder.Write("t.csv", text), .header = false};
  for (const int64_t threads : {1, 3}) {
    const auto table = ReadCsv(source, {.threads = threads});
    DL_ASSERT_OK(table);
    ASSERT_EQ(table->f32.size(), numbers.size());
    for (size_t i = 0; i < numbers.size(); ++i) {
      ASSERT_EQ(std::bit_cast<uint32_t>(table->f32[i]),
                std::bit_cast<uint32_t>(Nearest(numbers[i])))
          << numbers[i];
    }
  }
}

TEST(CsvFields, RowsOfEmptyFieldsAtTheEndAreSkipped) {
  struct Case {
    std::string text;
    int64_t rows, skipped;
    char separator = ',';
  };
  const Case cases[] = {
      {"a,b\n1,2\n,\n,\n", 2, 2},
      {"a,b\n1,2\n , \r\n\n,", 2, 2},
      {"a,b\n1,2\n\"\",\"\"\n", 2, 1},
      {"a\tb\n1\t2\n\t\n", 2, 1, '\t'},
      {"a,b\n,\n1,2\n", 3, 0},          // between others
      {",\n,\n", 1, 1},                 // the first row stays
      {"a\n1\n\"\"\n", 3, 0},           // a missing value of the only column
      {"a,b\n1,2\n,\"\"\"\"\n", 3, 0},  // a quote is a text
      {"a,b\n1,2\n,\" \"\n", 3, 0},     // and so is a blank
      {"a,b\n1,2\n" + std::string(600'000, ',') + "\n,\n", 2, 2},
  };
  const test::TempFolder folder;
  for (const Case& test : cases) {
    auto file = SourceFile::Open(folder.Write("t.csv", test.text));
    DL_ASSERT_OK(file);
    CsvScanner scanner(*file, {.separator = test.separator});
    std::vector<std::string> fields;
    int64_t rows = 0;
    for (;;) {
      const auto more = scanner.NextRow(fields);
      DL_ASSERT_OK(more);
      if (!*more) break;
      ++rows;
    }
    EXPECT_EQ(rows, test.rows) << test.text.substr(0, 40);
    EXPECT_EQ(scanner.empty_rows_at_end(), test.skipped) << test.text.substr(0, 40);
  }
}

// The time must not grow with the square of the number of such rows.
TEST(CsvFields, ManyRowsOfEmptyFieldsBetweenOthersAreRows) {
  const test::TempFolder folder;
  std::string text = "a,b\n1,2\n";
  constexpr int kRows = 500'000;
  for (int i = 0; i < kRows; ++i) text += ",\n";
  auto file = SourceFile::Open(folder.Write("t.csv", text + "3,4\n"));
  DL_ASSERT_OK(file);
  CsvScanner scanner(*file, {});
  CsvRowBatch batch;
  size_t rows = 0;
  while (*scanner.NextRows(batch)) rows += batch.rows.size();
  EXPECT_EQ(rows, kRows + 3);
  EXPECT_EQ(scanner.empty_rows_at_end(), 0);
}

}  // namespace
}  // namespace dl::dataset
