#include "dataset/readers/csv_guess.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "dataset/readers/csv_mistakes.h"
#include "dataset/readers/csv_scanner.h"
#include "dataset/readers/missing_texts.h"
#include "dataset/readers/source_file.h"
#include "dataset/readers/source_paths.h"

namespace dl::dataset {
namespace {

constexpr int kRows = 1000;
constexpr size_t kMostFractionalClasses = 20;

std::optional<double> Number(const std::string& text) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

// No number among the features.
bool IsHeader(const std::vector<std::string>& row) {
  for (size_t i = 0; i + 1 < row.size(); ++i) {
    if (row[i].empty() || Number(row[i])) return false;
  }
  return true;
}

// The one that the header has beside these, or none.
std::optional<size_t> OnlyOther(const std::vector<std::string>& header,
                                const std::vector<std::string>& known) {
  const std::set<std::string> names(known.begin(), known.end());
  std::optional<size_t> other;
  for (size_t i = 0; i < header.size(); ++i) {
    if (names.contains(header[i])) continue;
    if (other) return std::nullopt;
    other = i;
  }
  return other;
}

// Whether features are words, as the first value of their column says, and whether some are
// missing.
class Features {
 public:
  Features() : missing_(job::CsvSource().missing_values) {}

  void Add(const std::vector<std::string>& row, size_t label) {
    columns_.resize(std::max(columns_.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) {
      if (i == label) continue;
      Column& column = columns_[i];
      if (missing_.Has(row[i])) {
        column.some_missing = true;
      } else if (!column.words) {
        column.words = !Number(row[i]).has_value();
      }
    }
  }
  // Sets what `source` needs of it, and nothing for a table of numbers that are all there.
  void Describe(job::CsvSource& source) const {
    for (const Column& column : columns_) {
      const bool words = column.words.value_or(false);
      if (words) source.categorical_columns.automatic = true;
      if (!column.some_missing) continue;
      if (words) source.missing_category = job::MissingCategory::kOwnClass;
      if (!words) source.missing_number = job::MissingNumber::kMean;
    }
  }

 private:
  struct Column {
    std::optional<bool> words;
    bool some_missing = false;
  };
  const MissingTexts missing_;
  std::vector<Column> columns_;
};

// Many numbers that are not whole are no names of classes.
class Labels {
 public:
  void Add(const std::string& text) {
    const auto number = Number(text);
    all_numbers_ = all_numbers_ && number.has_value();
    some_fractions_ = some_fractions_ ||
                      (number && *number != static_cast<double>(static_cast<int64_t>(*number)));
    if (texts_.size() <= kMostFractionalClasses) texts_.insert(text);
  }
  job::LabelType Type() const {
    return all_numbers_ && some_fractions_ && texts_.size() > kMostFractionalClasses
               ? job::LabelType::kNumber
               : job::LabelType::kClass;
  }

 private:
  bool all_numbers_ = true, some_fractions_ = false;
  std::set<std::string> texts_;
};

}  // namespace

StatusOr<job::CsvSource> GuessCsv(const std::string& name, const std::vector<std::string>& known) {
  DL_ASSIGN_OR_RETURN(const std::vector<std::string> paths, SourcePaths(name));
  const std::string& path = paths.front();
  job::CsvSource source{.path = name};
  DL_ASSIGN_OR_RETURN(const auto separator, LooksSeparatedBy(path, {.separator = '\0'}));
  if (!separator) {
    return InvalidArgument({.message = "the rows have no common separator",
                            .where = path,
                            .remedy = "Write a .json file that says what it is: {\"format\": "
                                      "\"csv\", \"path\": ..., \"separator\": ...}"});
  }
  source.separator = std::string(1, *separator);
  DL_ASSIGN_OR_RETURN(SourceFile file, SourceFile::Open(path));
  CsvScanner scanner(file, {.separator = *separator});
  std::vector<std::string> fields;
  Features features;
  Labels labels;
  size_t label = std::string::npos;  // the last
  for (int row = 0; row < kRows; ++row) {
    DL_ASSIGN_OR_RETURN(const bool more, scanner.NextRow(fields));
    if (!more) break;
    if (row == 0) source.header = IsHeader(fields);
    if (row == 0 && source.header) {
      const std::optional<size_t> other = OnlyOther(fields, known);
      if (other && *other + 1 < fields.size()) {
        label = *other;
        source.label_column = fields[label];
      }
      continue;
    }
    const size_t place = std::min(label, fields.size() - 1);
    features.Add(fields, place);
    labels.Add(fields[place]);
  }
  features.Describe(source);
  source.label_type = labels.Type();
  return source;
}

}  // namespace dl::dataset
