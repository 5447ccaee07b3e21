#include "dataset/readers/table/csv_scanner.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "base/shell_word.h"
#include "dataset/readers/foreign_format.h"

namespace dl::dataset {
namespace {

// Many times the size of kMaxCsvColumns fields with numbers.
constexpr int64_t kMaxRowBytes = 64 << 20;
constexpr size_t kBatchBytes = 256 << 10;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool IsBlank(char c) { return c == ' ' || c == '\t'; }
bool IsLineEnd(char c) { return c == '\n' || c == '\r'; }

std::string_view WithoutBlanksAtEnd(std::string_view field) {
  while (!field.empty() && IsBlank(field.back())) field.remove_suffix(1);
  return field;
}

}  // namespace

namespace {

CsvSignSearch SearchOf(CsvSigns signs) {
  return signs.blanks ? CsvSignSearch(' ', '\t') : CsvSignSearch(signs.separator, signs.separator);
}

}  // namespace

CsvScanner::CsvScanner(std::string_view text, CsvSigns signs, std::string path)
    : text_(text), signs_(signs), search_(SearchOf(signs)), path_(std::move(path)) {
  if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
  SkipSeparatorLine();
}

CsvScanner::CsvScanner(SourceFile& file, CsvSigns signs)
    : file_(&file), ended_(false), signs_(signs), search_(SearchOf(signs)), path_(file.path()) {}

void CsvScanner::KeepRest() {
  constexpr int64_t kOwnUses = 2;  // held_ and the entry of texts_
  if (held_ != nullptr && held_.use_count() == kOwnUses) {
    held_->erase(0, at_);
    return;
  }
  // Memory that was used before costs less than new memory. Very long rows keep none.
  const auto is_unused = [](const auto& text) { return text.use_count() == 1; };
  std::erase_if(texts_, [&](const auto& text) {
    return is_unused(text) && text->capacity() > 4 * kBatchBytes;
  });
  const auto unused = std::ranges::find_if(texts_, is_unused);
  std::shared_ptr<std::string> next =
      unused != texts_.end() ? *unused : texts_.emplace_back(std::make_shared<std::string>());
  next->reserve(2 * kBatchBytes);
  next->assign(text_.substr(at_));
  held_ = std::move(next);
}

Status CsvScanner::ReadOn() {
  const bool first = file_->position() == 0;
  KeepRest();
  at_ = 0;
  value_at_ = 0;
  const Status read = ReadPieces(first ? 1 : kBatchBytes);
  text_ = *held_;
  search_.Restart();
  if (!read.ok()) {
    ended_ = true;
    return read;
  }
  if (!first) return absl::OkStatus();
  if (const auto encoding = RecognizeEncoding(text_, path_)) {
    ended_ = true;
    return ForeignFileError(*encoding, path_);
  }
  if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
  SkipSeparatorLine();
  const Status status = CheckHasNoZero(0, line_);
  if (!status.ok()) ended_ = true;
  return status;
}

// Reads until held_ has `least` bytes or the file ends. An error of a later piece is returned by
// the next call, so that an error of a row in the pieces before it comes first.
Status CsvScanner::ReadPieces(size_t least) {
  if (held_->size() > static_cast<size_t>(kMaxRowBytes)) {
    return Bad(-1, absl::StrCat("has more than ", kMaxRowBytes, " bytes"),
               "Close its quotes, and check the separator");
  }
  if (!after_held_.ok()) return after_held_;
  const bool is_first_piece = file_->position() == 0;
  for (bool is_later = false;; is_later = true) {
    const size_t before = held_->size();
    const StatusOr<bool> more = file_->ReadOnto(*held_);
    text_ = *held_;
    Status status = more.status();
    if (status.ok() && !is_first_piece) status = CheckHasNoZero(before, line_);
    if (!status.ok()) {
      held_->resize(before);
      if (!is_later) return status;
      after_held_ = std::move(status);
      return absl::OkStatus();
    }
    ended_ = !*more;
    if (ended_ || held_->size() >= least) return absl::OkStatus();
  }
}

// Checks that the text has no byte 0 from byte `begin` on. `line` is the line of the text's begin.
Status CsvScanner::CheckHasNoZero(size_t begin, int64_t line) const {
  const size_t zero = text_.find('\0', begin);
  if (zero == std::string_view::npos) return absl::OkStatus();
  line += std::count(text_.begin(), text_.begin() + zero, '\n');
  return InvalidArgument(
      {.message = absl::StrCat("line ", line, " holds a byte 0, which no text has"),
       .where = path_,
       .remedy = absl::StrCat("Remove it: tr -d '\\0' < ", ShellWord(path_), " > NEW_FILE")});
}

void CsvScanner::GoBackTo(const Place& place, CsvRowBatch& batch) {
  batch.fields.resize(place.fields);
  batch.rows.resize(place.rows);
  at_ = place.at;
  row_ = place.row;
  line_ = place.line;
  empty_rows_at_end_ = 0;
  if (row_ == 0) row_line_ = 1;
}

std::optional<StatusOr<bool>> CsvScanner::TakeRow(CsvRowBatch& batch) {
  const Place begin = Here(batch);
  StatusOr<bool> found = ParseRow(batch);
  // A row that touches the end of the text may continue after it.
  if (ended_ || at_ + 1 < text_.size()) return found;
  GoBackTo(begin, batch);
  return std::nullopt;
}

StatusOr<bool> CsvScanner::NextRow(std::vector<std::string>& fields) {
  one_.Clear();
  for (;;) {
    const std::optional<StatusOr<bool>> row = TakeRow(one_);
    if (!row) {
      DL_RETURN_IF_ERROR(ReadOn());
      continue;
    }
    if (!row->ok() || !**row) return *row;
    fields.resize(one_.fields.size());
    for (size_t i = 0; i < fields.size(); ++i) fields[i] = one_.fields[i];
    return true;
  }
}

StatusOr<bool> CsvScanner::NextRows(CsvRowBatch& batch) {
  batch.Clear();
  size_t begin = at_;
  while (at_ - begin < kBatchBytes) {
    const Place place = Here(batch);
    const std::optional<StatusOr<bool>> row = TakeRow(batch);
    if (row && row->ok() && **row) continue;
    if (batch.rows.empty()) {
      if (row) return *row;
      DL_RETURN_IF_ERROR(ReadOn());
      begin = at_;
      continue;
    }
    GoBackTo(place, batch);  // the next call finds the same
    break;
  }
  batch.text = held_;
  return true;
}

Status CsvScanner::BadIn(const CsvRowBatch::Row& row, int64_t field, std::string message,
                         std::string remedy, const std::string& name) const {
  const std::string place =
      absl::StrCat("row ", row.row, field >= 0 ? absl::StrCat(", column ", field + 1) : "",
                   name.empty() ? "" : absl::StrCat(" (\"", name, "\")"));
  return InvalidArgument({.message = absl::StrCat(place, ": ", message),
                          .where = absl::StrCat(path_, ":", row.line),
                          .remedy = std::move(remedy)});
}

bool CsvScanner::AtLineEnd() const { return at_ == text_.size() || IsLineEnd(text_[at_]); }

bool CsvScanner::AtSeparator() const {
  return signs_.blanks ? IsBlank(text_[at_]) : text_[at_] == signs_.separator;
}

// Skips blanks that do not separate fields.
void CsvScanner::SkipBlanks() {
  while (at_ < text_.size() && IsBlank(text_[at_]) &&
         (signs_.blanks || text_[at_] != signs_.separator)) {
    ++at_;
  }
}

// CR, LF or CR LF.
void CsvScanner::EndLine() {
  if (at_ == text_.size()) return;
  if (text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') ++at_;
  ++at_;
  ++line_;
}

void CsvScanner::SkipSeparatorLine() {
  std::string_view rest = text_.substr(at_);
  if (rest.starts_with("\"")) rest.remove_prefix(1);
  if (!rest.starts_with("sep=") && !rest.starts_with("SEP=")) return;
  constexpr size_t kLongest = 7;  // "sep=;" in quotes
  const size_t end = std::min(text_.find_first_of("\r\n", at_), text_.size());
  if (end - at_ > kLongest) return;
  at_ = end;
  EndLine();
}

// at_ is after the opening quote.
StatusOr<std::string_view> CsvScanner::QuotedField(CsvRowBatch& batch) {
  std::string_view field;
  std::string* own = nullptr;  // the field without doubled quotes, if it has some
  while (true) {
    const size_t quote = text_.find('"', at_);
    if (quote == std::string_view::npos) {
      if (!ended_) at_ = text_.size();
      return Bad(-1, "a quoted field does not end",
                 "Close it with a quote; write a quote inside a field twice");
    }
    field = text_.substr(at_, quote - at_);
    line_ += std::count(field.begin(), field.end(), '\n');
    at_ = quote + 1;
    const bool is_doubled = at_ < text_.size() && text_[at_] == '"';
    if (is_doubled && own == nullptr) own = &batch.own_texts.emplace_back();
    if (own != nullptr) own->append(field);
    if (!is_doubled) break;
    own->push_back('"');
    ++at_;
  }
  if (own != nullptr) field = *own;
  if (!signs_.blanks) {
    while (at_ < text_.size() && text_[at_] == ' ' && signs_.separator != ' ') ++at_;
  }
  if (AtLineEnd() || AtSeparator()) return field;
  return Bad(-1, "text follows a closing quote",
             "Put the whole field into quotes; write a quote inside it twice");
}

std::string_view CsvScanner::PlainField() {
  const size_t begin = at_;
  at_ = search_.Find(text_, at_);
  return WithoutBlanksAtEnd(text_.substr(begin, at_ - begin));
}

// Appends the next fields of a row until one that begins with a quote or a blank. `begin` is the
// row's first field in the batch. Returns whether the row ends after them. REQUIRES: signs_.blanks
// is false.
bool CsvScanner::TakePlainFields(CsvRowBatch& batch, size_t begin) {
  const std::string_view text = text_;
  const size_t most = begin + static_cast<size_t>(limits::kMaxCsvColumns);
  // Copies of members, which the compiler keeps in registers while it writes fields.
  CsvSignSearch search = search_;
  size_t at = at_;
  bool ends = false;
  while (!ends && at < text.size() && batch.fields.size() < most) {
    if (text[at] == '"' || IsBlank(text[at])) break;
    const size_t end = search.Find(text, at);
    batch.fields.push_back(WithoutBlanksAtEnd(std::string_view(text.data() + at, end - at)));
    ends = end == text.size() || IsLineEnd(text[end]);
    at = ends ? end : end + 1;  // after the separator
  }
  search_ = search;
  at_ = at;
  return ends;
}

// Skips lines of blanks that do not separate fields, and comments. Also skips a byte order mark,
// which may be in the middle of a file that was concatenated from others.
void CsvScanner::SkipEmptyLines() {
  const bool blanks_are_fields =
      !signs_.blanks && (signs_.separator == ' ' || signs_.separator == '\t');
  while (at_ < text_.size()) {
    if (text_.substr(at_).starts_with(kByteOrderMark)) {
      at_ += kByteOrderMark.size();
      continue;
    }
    if (!blanks_are_fields && IsBlank(text_[at_])) {
      const size_t end = std::min(text_.find_first_not_of(" \t", at_), text_.size());
      if (end < text_.size() && !IsLineEnd(text_[end])) return;
      at_ = end;
      continue;
    }
    if (AtLineEnd()) {
      EndLine();
    } else if (signs_.comment != '\0' && text_[at_] == signs_.comment) {
      at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
    } else {
      return;
    }
  }
}

// Returns the number of rows in the rest of the text if all have only empty fields and the first
// has several; otherwise nullopt.
std::optional<int64_t> CsvScanner::CountEmptyRows() {
  if (at_ < value_at_) return std::nullopt;
  int64_t rows = 0;
  bool is_in_row = false, has_separator = false;
  for (size_t at = at_; at < text_.size(); ++at) {
    const char c = text_[at];
    const bool ends_line = IsLineEnd(c);
    bool is_empty = true;
    if (ends_line) {
      is_empty = has_separator;
      rows += is_in_row ? 1 : 0;
    } else if (c == signs_.separator && !signs_.blanks) {
      has_separator = true;
    } else if (c == '"') {
      // Two quotes are an empty field, three begin a text.
      const std::string_view quotes = text_.substr(at, 3);
      is_empty = quotes == "\"\"" || (quotes.starts_with("\"\"") && quotes[2] != '"') ||
                 (quotes.size() == 1 && !ended_);
      ++at;
    } else {
      is_empty = IsBlank(c);
    }
    if (!is_empty) {
      value_at_ = at;
      return std::nullopt;
    }
    is_in_row = !ends_line;
  }
  if (!has_separator) return std::nullopt;
  return rows + (is_in_row ? 1 : 0);
}

StatusOr<bool> CsvScanner::ParseRow(CsvRowBatch& batch) {
  SkipEmptyLines();
  if (at_ == text_.size()) return false;
  if (row_ > 0) {
    if (const auto empty = CountEmptyRows()) {
      empty_rows_at_end_ = *empty;
      at_ = text_.size();
      return false;
    }
  }
  ++row_;
  row_line_ = line_;
  const size_t begin = batch.fields.size();
  while (signs_.blanks || !TakePlainFields(batch, begin)) {
    if (batch.fields.size() - begin == static_cast<size_t>(limits::kMaxCsvColumns)) {
      return Bad(-1, absl::StrCat("has more than ", limits::kMaxCsvColumns, " columns"),
                 "Check the separator, or keep fewer columns");
    }
    SkipBlanks();
    if (at_ < text_.size() && text_[at_] == '"') {
      ++at_;
      DL_ASSIGN_OR_RETURN(const std::string_view field, QuotedField(batch));
      batch.fields.push_back(field);
    } else {
      batch.fields.push_back(PlainField());
    }
    if (signs_.blanks) SkipBlanks();
    if (AtLineEnd()) break;
    if (!signs_.blanks) ++at_;  // the separator
  }
  EndLine();
  batch.rows.push_back(
      {.begin = begin, .end = batch.fields.size(), .row = row_, .line = row_line_});
  return true;
}

}  // namespace dl::dataset
