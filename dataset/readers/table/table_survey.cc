#include "dataset/readers/table/table_survey.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/parallel.h"
#include "base/usable_cores.h"
#include "dataset/readers/source_paths.h"
#include "dataset/readers/table/field_kind.h"
#include "dataset/readers/table/table_columns.h"

namespace dl::dataset {
namespace {

constexpr int64_t kMostDistinct = 1 << 14;
constexpr size_t kPartsEach = 4;  // of the columns, for each thread
constexpr size_t kRowsTogether = 64;
constexpr int64_t kBytesEach = 48;  // for each distinct value, in two counts

Status OtherWidth(const CsvScanner& scanner, const CsvRowBatch& batch, const CsvRowBatch::Row& row,
                  size_t first_row, const std::string& first_path) {
  const size_t fields = row.end - row.begin;
  if (fields == first_row + 1 && row.row == 2 && batch.fields[row.end - 1].empty()) {
    return scanner.BadIn(
        row, -1, "ends with a separator, and the first row does not",
        "Add a separator to the end of the first row, or remove those of the others");
  }
  // R's write.table writes row names but no name for their column.
  if (row.row == 1) {  // of a later file
    return scanner.BadIn(row, -1,
                         absl::StrCat("has ", fields, fields == 1 ? " field" : " fields",
                                      ", the rows of ", first_path, " have ", first_row),
                         "Give all files the same columns, or import them separately");
  }
  const auto of_row = batch.FieldsOf(row);
  if (std::ranges::any_of(of_row, [](std::string_view field) { return field.ends_with('\\'); })) {
    return scanner.BadIn(row, -1,
                         absl::StrCat("has ", fields, " fields, the first row has ", first_row,
                                      "; a backslash stands before a separator"),
                         "Write a field that holds the separator in quotes, without the backslash");
  }
  const auto has_curved_quote = [](std::string_view field) {
    return field.starts_with("\xe2\x80\x9c") || field.starts_with("\xe2\x80\x9e");
  };
  if (std::ranges::any_of(of_row, has_curved_quote)) {
    return scanner.BadIn(row, -1,
                         absl::StrCat("has ", fields, " fields, the first row has ", first_row,
                                      "; a field begins with a curved quote"),
                         "Write straight quotes, \", around a field that holds the separator");
  }
  const bool row_names = fields == first_row + 1 && row.row == 2;
  return scanner.BadIn(
      row, -1,
      absl::StrCat(
          "has ", fields, fields == 1 ? " field" : " fields", ", the first row has ", first_row,
          row_names ? ": the header lacks a name, as in tables of R with names of rows, or a field "
                      "holds the separator, as 21,5 does"
                    : ""),
      row_names
          ? "For R, write the table with col.names = NA or row.names = FALSE; put fields that "
            "hold the separator into quotes, or write decimal points"
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
  CsvRowBatch batch, next;
  DL_ASSIGN_OR_RETURN(bool more, scanner.NextRows(batch));
  if (!more) {
    return InvalidArgument({.message = "the file has only comments",
                            .where = path,
                            .remedy = "Name a file with a row for each example"});
  }
  AddFirstRow(batch, path, options);
  const int64_t most = options.threads > 0 ? options.threads : FindUsableCores().count;
  const int64_t threads = scanner.HoldsRest() ? 1 : most;
  for (bool first = true; more; first = false) {
    for (const CsvRowBatch::Row& row : batch.rows) {
      if (row.end - row.begin != columns_.size())
        return OtherWidth(scanner, batch, row, columns_.size(), first_path());
    }
    if (first) batch.rows.erase(batch.rows.begin());
    AddRows(batch, path);
    // The next rows are scanned while those of the batch are counted.
    const size_t columns = columns_.size();
    const size_t parts = std::min(columns, kPartsEach * static_cast<size_t>(threads));
    StatusOr<bool> scanned = false;
    const auto work = [&](int64_t i) {
      const auto part = static_cast<size_t>(i);
      if (part == parts)
        scanned = scanner.NextRows(next);
      else
        AddColumns(batch, path, columns * part / parts, columns * (part + 1) / parts);
    };
    InParallel(static_cast<int64_t>(parts) + 1, work, threads);
    DL_ASSIGN_OR_RETURN(more, std::move(scanned));
    std::swap(batch, next);
  }
  return absl::OkStatus();
}

void TableSurvey::AddFirstRow(const CsvRowBatch& batch, const std::string& path,
                              const SurveyOptions& options) {
  const CsvRowBatch::Row& row = batch.rows.front();
  const auto fields = batch.FieldsOf(row);
  first_rows_.push_back({.fields = {fields.begin(), fields.end()},
                         .place = {.path = path, .row = row.row, .line = row.line}});
  if (columns_.empty()) Begin(options);
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
  const bool are_numbers = std::ranges::all_of(first_row(), [](const std::string& name) {
    return LookAtField(name).kind == FieldKind::kNumber;
  });
  if (are_numbers) return;
  sorted_names_ = first_row();
  std::sort(sorted_names_.begin(), sorted_names_.end());
  for (const std::string& name : sorted_names_) {
    if (!name.empty()) begins_name_[static_cast<unsigned char>(name.front())] = true;
  }
}

void TableSurvey::LookForNames(const CsvRowBatch& batch, const CsvRowBatch::Row& at,
                               const std::string& path) {
  const std::span<const std::string_view> row = batch.FieldsOf(at);
  const auto may_be_name = [&](std::string_view field) {
    const bool begins = field.empty() || begins_name_[static_cast<unsigned char>(field.front())];
    return begins && std::ranges::binary_search(sorted_names_, field, std::less<>());
  };
  if (row.size() <= 1 || sorted_names_.empty() || !may_be_name(row.front()) ||
      !may_be_name(row.back()))
    return;
  repeats_of_first_ += std::ranges::equal(row, first_row());
  if (repeated_names_) return;
  std::vector<std::string> sorted(row.begin(), row.end());
  std::sort(sorted.begin(), sorted.end());
  if (sorted == sorted_names_) repeated_names_ = {.path = path, .row = at.row, .line = at.line};
}

void TableSurvey::AddRows(const CsvRowBatch& batch, const std::string& path) {
  rows_ += std::ssize(batch.rows);
  for (const CsvRowBatch::Row& row : batch.rows) {
    LookForNames(batch, row, path);
    const std::span<const std::string_view> fields = batch.FieldsOf(row);
    if (!fields.front().empty() || !std::ranges::all_of(fields, &std::string_view::empty)) continue;
    if (empty_rows_++ == 0) empty_row_ = {.path = path, .row = row.row, .line = row.line};
  }
}

void TableSurvey::AddColumns(const CsvRowBatch& batch, const std::string& path, size_t begin,
                             size_t end) {
  // Neighboring fields of a row share lines of the cache.
  for (size_t at = 0; at < batch.rows.size(); at += kRowsTogether) {
    const size_t count = std::min(kRowsTogether, batch.rows.size() - at);
    const auto rows = std::span(batch.rows).subspan(at, count);
    for (size_t i = begin; i < end; ++i) {
      columns_[i].AddRows({.batch = batch, .rows = rows, .path = path}, i);
      const std::string_view name = first_row()[i];
      int64_t same = 0;
      for (const CsvRowBatch::Row& row : rows) {
        const std::string_view field = batch.fields[row.begin + i];
        // Most fields differ in their sizes or first characters, so no function is called for them.
        if (field.size() != name.size() || (!name.empty() && field[0] != name[0])) continue;
        same += field == name;
      }
      same_as_first_[i] += same;
    }
  }
}

void TableSurvey::AddFirstRows() {
  for (const Row& row : first_rows_) {
    ++rows_;
    for (size_t i = 0; i < columns_.size(); ++i) {
      columns_[i].Add(row.fields[i], row.place);
      same_as_first_[i] += row.fields[i] == first_row()[i];
    }
  }
}

bool TableSurvey::AllFilesBeginAlike() const {
  return std::all_of(first_rows_.begin(), first_rows_.end(),
                     [&](const Row& row) { return row.fields == first_row(); });
}

}  // namespace dl::dataset
