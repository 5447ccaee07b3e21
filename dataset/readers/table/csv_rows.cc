#include "dataset/readers/table/csv_rows.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "base/parallel.h"
#include "base/printable.h"
#include "base/usable_cores.h"
#include "base/utf8.h"
#include "dataset/readers/file_error.h"
#include "dataset/readers/numbers.h"
#include "dataset/readers/source_file.h"
#include "dataset/readers/table/csv_mistakes.h"
#include "dataset/readers/table/short_decimals.h"

namespace dl::dataset {

CsvSigns SignsOf(const job::CsvSource& source) {
  const bool blanks = source.separator == job::kSeparatedByBlanks;
  return {.separator = blanks ? ' ' : source.separator[0],
          .comment = source.comment ? source.comment->front() : '\0',
          .blanks = blanks};
}

Status CheckSigns(const job::CsvSource& source) {
  const std::string& separator = source.separator;
  const bool blanks = separator == job::kSeparatedByBlanks;
  if ((separator.size() != 1 && !blanks) || separator == "\"" || separator == "\n" ||
      separator == "\r") {
    return InvalidArgument(
        {.message = "the separator is not one character that can separate columns",
         .remedy = "Use another separator"});
  }
  if (source.comment && source.comment->size() != 1) {
    return InvalidArgument({.message = "the comment is not one character that can begin a line",
                            .remedy = "Use another character"});
  }
  return absl::OkStatus();
}

Status CsvRows::ForEach(const std::function<Status()>& visit) {
  index_ = empty_rows_ = 0;
  file_ = -1;
  for (const std::string& path : paths_) {
    ++file_;
    DL_ASSIGN_OR_RETURN(SourceFile file, SourceFile::Open(path));
    const CsvSigns signs = SignsOf(source_);
    CsvScanner scanner(file, signs);
    scanner_ = &scanner;
    const Status status = ForEachOf(path, visit);
    scanner_ = nullptr;
    empty_rows_ += scanner.empty_rows_at_end();
    if (status.ok()) continue;
    if (!absl::IsInvalidArgument(status)) return status;
    // If the table has another separator, this is the mistake to report, whatever error it caused
    // first.
    const auto found = LooksSeparatedBy(path, signs);
    const bool other = found.ok() && found->has_value();
    return other ? OtherSeparator(path, signs.separator, **found) : status;
  }
  return absl::OkStatus();
}

Status CsvRows::ForEachOf(const std::string& path, const std::function<Status()>& visit) {
  Piece first;
  CsvRowBatch& batch = first.batch;
  DL_ASSIGN_OR_RETURN(bool more, scanner_->NextRows(batch));
  if (!more) {
    return AboutFile(InvalidArgument({.message = "the file is empty"}), path,
                     "Name a file with a row for each example");
  }
  SetRow(first, 0);
  if (first_row_.empty()) {
    DL_RETURN_IF_ERROR(BeginTable());
  } else if (source_.header) {
    DL_RETURN_IF_ERROR(CheckSameHeader());
  }
  if (source_.header) {
    batch.rows.erase(batch.rows.begin());
    if (batch.rows.empty()) {
      DL_ASSIGN_OR_RETURN(more, scanner_->NextRows(batch));
    }
  }
  if (!more) {
    return AboutFile(InvalidArgument({.message = "no row follows the header"}), path,
                     "Add a row for each example, or set header to false");
  }
  const int64_t threads = options_.threads > 0 ? options_.threads : FindUsableCores().count;
  return threads == 1 || scanner_->HoldsRest() ? VisitInTurn(std::move(first), visit)
                                               : VisitInParallel(std::move(first), threads, visit);
}

Status CsvRows::VisitInTurn(Piece piece, const std::function<Status()>& visit) {
  for (bool more = true; more;) {
    BeginNumbers(piece);
    if (ParsesNumbers()) ParseNumbers(piece, 0, piece.batch.rows.size());
    DL_RETURN_IF_ERROR(VisitRows(piece, visit));
    DL_ASSIGN_OR_RETURN(more, scanner_->NextRows(piece.batch));
  }
  return absl::OkStatus();
}

// In each round, one thread visits the rows of a piece, and others parse the next piece and scan
// the one after it.
Status CsvRows::VisitInParallel(Piece first, int64_t threads,
                                const std::function<Status()>& visit) {
  Piece visited, parsed = std::move(first), scanned;
  Status visit_status;
  StatusOr<bool> more = true;
  while (!visited.batch.rows.empty() || !parsed.batch.rows.empty()) {
    const size_t rows = parsed.batch.rows.size();
    BeginNumbers(parsed);
    const auto parts = static_cast<size_t>(ParsesNumbers() ? 2 * threads : 0);
    const bool scans = more.ok() && *more;
    const auto work = [&](int64_t i) {
      if (i == 0) {
        visit_status = VisitRows(visited, visit);
      } else if (i == 1) {
        if (scans) more = scanner_->NextRows(scanned.batch);
      } else {
        const auto part = static_cast<size_t>(i - 2);
        ParseNumbers(parsed, rows * part / parts, rows * (part + 1) / parts);
      }
    };
    InParallel(static_cast<int64_t>(2 + parts), work, threads);
    DL_RETURN_IF_ERROR(visit_status);
    std::swap(visited, parsed);
    std::swap(parsed, scanned);
    scanned.batch.Clear();
    if (!scans || !more.ok() || !*more) parsed.batch.Clear();
  }
  return more.status();
}

// Numbers with decimal commas are parsed after their commas are replaced.
bool CsvRows::ParsesNumbers() const {
  return wants_numbers_ && source_.decimal != job::Decimal::kComma;
}

void CsvRows::BeginNumbers(Piece& piece) const {
  const size_t rows = ParsesNumbers() ? piece.batch.rows.size() : 0;
  const size_t numbers = rows * columns_.features.size();
  piece.values.resize(numbers);
  piece.nearest.resize(numbers);
  piece.are_parsed.resize(numbers);
  piece.parsed_rows.resize(rows);
}

// Fields that are parsed together, and the places of their numbers in the piece.
struct CsvRows::Fields {
  explicit Fields(std::string_view text) : words(text) {}

  FieldWords words;
  std::string_view texts[FieldWords::kMost];
  size_t places[FieldWords::kMost];
  size_t count = 0;
};

void CsvRows::ParseFields(const Fields& fields, Piece& piece) const {
  ShortDecimals decimals;
  ParseShortDecimals(fields.words, fields.count, decimals);
  const bool may_be_missing = missing_.MayBeNumbers();
  for (size_t i = 0; i < fields.count; ++i) {
    const size_t at = fields.places[i];
    const double value = decimals.values[i];
    const bool is_decimal = decimals.are_parsed[i] != 0;
    piece.values[at] = value;
    piece.nearest[at] = is_decimal ? static_cast<float>(value) : 0.0f;
    piece.are_parsed[at] = 1;
    if (is_decimal && !may_be_missing && !IsHalfwayBetweenFloats(value)) continue;
    const std::string_view text = fields.texts[i];
    const auto number = missing_.Has(text) ? std::nullopt : ParseNumberOnce(text);
    piece.are_parsed[at] = number.has_value() ? 1 : 0;
    if (!number) continue;
    piece.values[at] = number->value;
    piece.nearest[at] = number->nearest;
  }
}

void CsvRows::ParseNumbers(Piece& piece, size_t begin, size_t end) const {
  const std::vector<int64_t>& features = columns_.features;
  const CsvRowBatch& batch = piece.batch;
  Fields fields(batch.text != nullptr ? *batch.text : std::string_view());
  const auto parse = [&] {
    ParseFields(fields, piece);
    fields.count = 0;
  };
  for (size_t r = begin; r < end; ++r) {
    const std::span<const std::string_view> row = batch.FieldsOf(batch.rows[r]);
    if (std::ssize(row) != columns_.count) {  // an error of VisitRows
      end = r;
      break;
    }
    for (size_t i = 0; i < features.size(); ++i) {
      const size_t at = r * features.size() + i;
      piece.are_parsed[at] = 0;
      if (columns_.categorical[i]) continue;
      fields.texts[fields.count] = row[features[i]];
      fields.places[fields.count] = at;
      fields.words.Set(fields.count, row[features[i]]);
      if (++fields.count == FieldWords::kMost) parse();
    }
  }
  if (fields.count > 0) parse();
  for (size_t r = begin; r < end; ++r) {
    const auto parsed = std::span(piece.are_parsed).subspan(r * features.size(), features.size());
    piece.parsed_rows[r] = std::ranges::find(parsed, 0) == parsed.end() ? 1 : 0;
  }
}

Status CsvRows::VisitRows(Piece& piece, const std::function<Status()>& visit) {
  for (size_t i = 0; i < piece.batch.rows.size(); ++i) {
    SetRow(piece, i);
    if (static_cast<int64_t>(fields_.size()) != columns_.count) {
      return Bad(-1,
                 absl::StrCat("has ", fields_.size(), fields_.size() == 1 ? " field" : " fields",
                              ", the first row has ", columns_.count),
                 "Correct the row; check the separator and the quotes");
    }
    if (source_.decimal == job::Decimal::kComma) DL_RETURN_IF_ERROR(PutDecimalPoints());
    DL_RETURN_IF_ERROR(visit());
    ++index_;
  }
  return absl::OkStatus();
}

// Replaces "1,5" by "1.5". A number with a decimal point is an error, because it could be misread.
Status CsvRows::PutDecimalPoints() {
  const auto put = [&](int64_t column) -> Status {
    std::string_view& field = fields_[column];
    if (field.find('.') != std::string::npos && FloatOf(field).ok()) {
      return Bad(column,
                 absl::StrCat("\"", Excerpt(field),
                              "\" has a decimal point, and the table's decimal is a comma"),
                 "Write all numbers in one way, or leave the column out");
    }
    if (!HasDecimalComma(field)) return absl::OkStatus();
    std::string& changed = at_->batch.own_texts.emplace_back(field);
    changed[changed.find(',')] = '.';
    field = changed;
    return absl::OkStatus();
  };
  for (size_t i = 0; i < columns_.features.size(); ++i) {
    const bool is_number = !columns_.categorical[i] && columns_.dates[i] == ColumnEncoding::kNumber;
    if (is_number) DL_RETURN_IF_ERROR(put(columns_.features[i]));
  }
  if (columns_.weight >= 0) DL_RETURN_IF_ERROR(put(columns_.weight));
  const bool numbers = source_.label_type == job::LabelType::kNumber;
  for (size_t i = 0; numbers && i < columns_.labels.size(); ++i) {
    if (!columns_.classes[i]) DL_RETURN_IF_ERROR(put(columns_.labels[i]));
  }
  return absl::OkStatus();
}

Status CsvRows::BeginTable() {
  std::vector<std::string> row(fields_.begin(), fields_.end());
  const auto columns = FindColumns(source_, row, labels_, options_.training);
  if (!columns.ok()) return Bad(-1, columns.status());
  columns_ = *columns;
  if (source_.header) {
    for (size_t i = 0; i < fields_.size(); ++i) {
      if (IsUtf8(fields_[i])) continue;
      return Bad(static_cast<int64_t>(i), "the column's name is not UTF-8",
                 "Save the file as UTF-8");
    }
    names_ = row;
  }
  first_row_ = std::move(row);
  return absl::OkStatus();
}

// Checks that a later file has the columns of the first file.
Status CsvRows::CheckSameHeader() const {
  const std::string& first = paths_.front();
  for (size_t i = 0; i < std::min(fields_.size(), first_row_.size()); ++i) {
    if (fields_[i] == first_row_[i]) continue;
    return scanner_->BadIn(row_, static_cast<int64_t>(i),
                           absl::StrCat("the column is \"", Excerpt(fields_[i]), "\", in ", first,
                                        " it is \"", Excerpt(first_row_[i]), "\""),
                           "Give all files the same header");
  }
  if (fields_.size() == first_row_.size()) return absl::OkStatus();
  return Bad(-1,
             absl::StrCat("the header has ", fields_.size(), " columns, that of ", first, " has ",
                          first_row_.size()),
             "Give all files the same header");
}

std::vector<std::string> CsvRows::Warnings() const {
  if (empty_rows_ == 0) return {};
  return {absl::StrCat(empty_rows_ == 1 ? "a row" : absl::StrCat(empty_rows_, " rows"),
                       " of empty fields at the end ", empty_rows_ == 1 ? "is" : "are",
                       " skipped")};
}

int64_t CsvRows::EstimateRows() const {
  double bytes = 0;
  for (const std::string& path : paths_) {
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    if (!error) bytes += static_cast<double>(size);
  }
  const auto of_rows = static_cast<double>(at_->batch.text->size());
  return static_cast<int64_t>(bytes / of_rows * static_cast<double>(at_->batch.rows.size())) + 1;
}

job::Column CsvRows::PlaceOf(int64_t column) const {
  const bool is_named = !names_.empty() && !names_[column].empty();
  return is_named ? job::Column(names_[column]) : job::Column(column);
}

Status CsvRows::Bad(int64_t column, std::string message, std::string remedy) const {
  const bool named = column >= 0 && column < static_cast<int64_t>(names_.size());
  return scanner_->BadIn(row_, column, std::move(message), std::move(remedy),
                         named ? Excerpt(names_[column]) : "");
}

Status CsvRows::Bad(int64_t column, const Status& without_place) const {
  return Bad(column, std::string(without_place.message()), ErrorRemedy(without_place));
}

Status CsvRows::BadColumn(int64_t column, const Status& without_place) const {
  const std::string name = names_.empty() ? "" : Excerpt(names_[column]);
  return InvalidArgument(
      {.message = absl::StrCat("column ", column + 1,
                               name.empty() ? "" : absl::StrCat(" (\"", name, "\")"), ": ",
                               std::string(without_place.message())),
       .where = first_path(),
       .remedy = ErrorRemedy(without_place)});
}

}  // namespace dl::dataset
