// Fixture for tests of guesses about tables, with a text form of reports and errors.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "dataset/readers/source.h"
#include "dataset/readers/table/csv_reader.h"
#include "dataset/readers/table/table_guess.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_folder.h"

namespace dl::dataset {

// Returns a report as text: "3 rows by ",", names; a numbers feature; y classes label; label: 2
// classes A 2 B 1; ! a note".
inline std::string Told(const TableReport& report) {
  std::vector<std::string> parts = {absl::StrCat(
      report.rows, " rows by ", report.separator, report.has_header ? ", names" : ", no names",
      report.has_decimal_commas ? ", decimal commas" : "")};
  for (const ColumnReport& column : report.columns) {
    parts.push_back(absl::StrCat(
        column.name.empty() ? absl::StrCat("[", column.index, "]") : column.name, " ", column.type,
        " ", column.use, column.missing > 0 ? absl::StrCat(", missing ", column.missing) : ""));
  }
  std::string label = absl::StrCat("label: ", report.label);
  for (const auto& [name, count] : report.classes) absl::StrAppend(&label, " ", name, " ", count);
  parts.push_back(label);
  for (const TableNote& note : report.notes)
    parts.push_back(absl::StrCat(note.is_doubtful ? "! " : "- ", note.text));
  return absl::StrJoin(parts, "; ");
}

class TableGuess : public testing::Test {
 protected:
  // Returns the report of the guess as text, or its error. Checks that the reader accepts the
  // guess.
  std::string Guess(const std::string& text, const TableGuessOptions& options = {}) {
    const std::string path = folder_.Write("t.csv", text);
    const auto guessed = GuessTable(path, options);
    if (!guessed.ok()) return Error(guessed.status());
    source_ = guessed->source;
    const auto table = ReadCsv(
        guessed->source,
        {.training = options.known,
         .labels = guessed->has_labels ? LabelColumns::kAsTheSourceSays : LabelColumns::kNone});
    EXPECT_TRUE(table.ok()) << text << "\n" << table.status();
    if (table.ok()) {
      EXPECT_EQ(table->examples, guessed->report.rows) << text;
      schema_ = table->schema;
      features_ = table->f32;
      warnings_ = table->warnings;
    }
    return absl::StrCat(Told(guessed->report), guessed->has_labels ? "" : "; without labels",
                        options.known == nullptr ? AlikeTexts(guessed->source) : "");
  }
  // Returns the warnings of the import about texts that differ only in how they are written.
  static std::string AlikeTexts(const job::CsvSource& source) {
    std::string alike;
    const auto table = ReadSource(source, {});
    EXPECT_TRUE(table.ok()) << table.status();
    if (!table.ok()) return "";
    for (const std::string& warning : table->warnings) {
      if (warning.find("differ in") != std::string::npos) absl::StrAppend(&alike, "; ", warning);
    }
    return alike;
  }
  static std::string Error(const Status& status) {
    return absl::StrCat("error: ", std::string(status.message()), " | ", ErrorRemedy(status));
  }

  test::TempFolder folder_;
  job::CsvSource source_;
  Schema schema_;
  std::vector<float> features_;
  std::vector<std::string> warnings_;
};

// Returns `rows` rows of two numbers and a class. `first` replaces the first field of row 1.
inline std::string NumberRows(int rows, const std::string& first = "") {
  std::string text = "a,b,y\n";
  for (int i = 0; i < rows; ++i) {
    const std::string a = absl::StrCat((i * 37) % 101 * 0.25);
    absl::StrAppend(&text, i == 0 && !first.empty() ? first : a, ",", i % 5, ",",
                    i % 2 == 0 ? "A" : "B", "\n");
  }
  return text;
}

// Returns a table of `rows` rows, below a header unless it is empty. `row(i)` is the text of a row.
template <typename RowText>
std::string TableRows(const std::string& header, int rows, RowText row) {
  std::string text = header.empty() ? "" : header + "\n";
  for (int i = 0; i < rows; ++i) absl::StrAppend(&text, row(i), "\n");
  return text;
}

inline const char* ClassOf(int i) { return i % 2 == 0 ? "A" : "B"; }

}  // namespace dl::dataset
