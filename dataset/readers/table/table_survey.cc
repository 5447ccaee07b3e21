#include "dataset/readers/table/table_survey.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "dataset/readers/source_paths.h"
#include "dataset/readers/table/table_columns.h"

namespace dl::dataset {
namespace {

constexpr int64_t kMostDistinct = 1 << 14;
constexpr int64_t kBytesEach = 48;  // for each distinct value, in two counts

Status OtherWidth(const CsvScanner& scanner, const std::vector<std::string>& row,
                  size_t first_row) {
  const size_t fields = row.size();
  if (fields == first_row + 1 && scanner.row() == 2 && row.back().empty()) {
    return scanner.Bad(
        -1, "ends with a separator, and the first row does not",
        "Add a separator to the end of the first row, or remove those of the others");
  }
  // R's write.table writes row names but no name for their column.
  const bool row_names = fields == first_row + 1 && scanner.row() == 2;
  return scanner.Bad(
      -1,
      absl::StrCat(
          "has ", fields, fields == 1 ? " field" : " fields", ", the first row has ", first_row,
          row_names ? ": the header lacks a name, as in tables of R with names of rows" : ""),
      row_names ? "Write the table with col.names = NA or row.names = FALSE, or add a name at the "
                  "front of the first row"
                : "Correct the row; check the separator and the quotes");
}

}  // namespace

StatusOr<TableSurvey> TableSurvey::Read(const std::string& name, const SurveyOptions& options) {
  DL_ASSIGN_OR_RETURN(const std::vector<std::string> paths, SourcePaths(name));
  TableSurvey survey;
  survey.missing_ = std::make_unique<MissingTexts>(options.missing_values);
  for (const std::string& path : paths) DL_RETURN_IF_ERROR(survey.ReadFile(path, options));
  return survey;
}

Status TableSurvey::ReadFile(const std::string& path, const SurveyOptions& options) {
  DL_ASSIGN_OR_RETURN(const CsvDialect dialect, FindDialect(path, options.dialect));
  if (first_rows_.empty()) dialect_ = dialect;
  const CsvSigns &own = dialect.signs, &common = dialect_.signs;
  if (own.separator != common.separator || own.blanks != common.blanks) {
    return InvalidArgument({.message = absl::StrCat("its fields are separated by ",
                                                    SeparatorText(own), ", but the fields of ",
                                                    first_path(), " by ", SeparatorText(common)),
                            .where = path,
                            .remedy = "Give all files the same separator"});
  }
  DL_ASSIGN_OR_RETURN(SourceFile file, SourceFile::Open(path));
  CsvScanner scanner(file, dialect_.signs);
  Row row{.fields = {}, .place = {.path = path}};
  for (bool first = true;; first = false) {
    DL_ASSIGN_OR_RETURN(const bool more, scanner.NextRow(row.fields));
    if (!more && first) {
      return InvalidArgument({.message = "the file has only comments",
                              .where = path,
                              .remedy = "Name a file with a row for each example"});
    }
    if (!more) return absl::OkStatus();
    row.place.row = scanner.row();
    row.place.line = scanner.line();
    if (first) first_rows_.push_back(row);
    if (columns_.empty()) Begin(options);
    if (row.fields.size() != columns_.size())
      return OtherWidth(scanner, row.fields, columns_.size());
    if (first) continue;
    LookForNames(row);
    Add(row);
  }
}

void TableSurvey::Begin(const SurveyOptions& options) {
  const size_t count = first_row().size();
  const auto columns = static_cast<int64_t>(count);
  const auto most = static_cast<size_t>(
      std::clamp(options.memory_bytes / (columns * kBytesEach), int64_t{64}, kMostDistinct));
  for (size_t i = 0; i < count; ++i) {
    const FeatureColumn* known =
        options.known == nullptr ? nullptr : KnownColumn(*options.known, first_row(), i);
    columns_.emplace_back(most, *missing_, known);
  }
  same_as_first_.resize(count);
  sorted_names_ = first_row();
  std::sort(sorted_names_.begin(), sorted_names_.end());
}

void TableSurvey::LookForNames(const Row& row) {
  const bool may_be_names =
      row.fields.size() > 1 &&
      std::binary_search(sorted_names_.begin(), sorted_names_.end(), row.fields.front()) &&
      std::binary_search(sorted_names_.begin(), sorted_names_.end(), row.fields.back());
  if (!may_be_names) return;
  repeats_of_first_ += row.fields == first_row();
  if (repeated_names_) return;
  std::vector<std::string> sorted = row.fields;
  std::sort(sorted.begin(), sorted.end());
  if (sorted == sorted_names_) repeated_names_ = row.place;
}

void TableSurvey::Add(const Row& row) {
  ++rows_;
  for (size_t i = 0; i < columns_.size(); ++i) {
    columns_[i].Add(row.fields[i], row.place);
    same_as_first_[i] += row.fields[i] == first_row()[i];
  }
}

void TableSurvey::AddFirstRows() {
  for (const Row& row : first_rows_) Add(row);
}

bool TableSurvey::AllFilesBeginAlike() const {
  return std::all_of(first_rows_.begin(), first_rows_.end(),
                     [&](const Row& row) { return row.fields == first_row(); });
}

}  // namespace dl::dataset
