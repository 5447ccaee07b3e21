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
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool IsBlank(char c) { return c == ' ' || c == '\t'; }
bool IsLineEnd(char c) { return c == '\n' || c == '\r'; }

}  // namespace

CsvScanner::CsvScanner(std::string_view text, CsvSigns signs, std::string path)
    : text_(text), signs_(signs), path_(std::move(path)) {
  if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
  SkipSeparatorLine();
}

CsvScanner::CsvScanner(SourceFile& file, CsvSigns signs)
    : file_(&file), ended_(false), signs_(signs), path_(file.path()) {}

Status CsvScanner::ReadOn(size_t kept) {
  const bool first = file_->position() == 0;
  held_.erase(0, kept);
  if (held_.size() > static_cast<size_t>(kMaxRowBytes)) {
    ended_ = true;
    return Bad(-1, absl::StrCat("has more than ", kMaxRowBytes, " bytes"),
               "Close its quotes, and check the separator");
  }
  const size_t before = held_.size();
  DL_ASSIGN_OR_RETURN(const bool more, file_->ReadOnto(held_));
  ended_ = !more;
  text_ = held_;
  at_ = 0;
  if (!first) return CheckHasNoZero(before);
  if (const auto encoding = RecognizeEncoding(text_, path_)) {
    ended_ = true;
    return ForeignFileError(*encoding, path_);
  }
  if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
  SkipSeparatorLine();
  return CheckHasNoZero(0);
}

// Checks that the text has no byte 0 from byte `begin` on.
Status CsvScanner::CheckHasNoZero(size_t begin) {
  const size_t zero = text_.find('\0', begin);
  if (zero == std::string_view::npos) return absl::OkStatus();
  ended_ = true;
  const auto line = line_ + std::count(text_.begin(), text_.begin() + zero, '\n');
  return InvalidArgument(
      {.message = absl::StrCat("line ", line, " holds a byte 0, which no text has"),
       .where = path_,
       .remedy = absl::StrCat("Remove it: tr -d '\\0' < ", ShellWord(path_), " > NEW_FILE")});
}

StatusOr<bool> CsvScanner::NextRow(std::vector<std::string>& fields) {
  for (;;) {
    const size_t at = at_;
    const int64_t row = row_, line = line_;
    StatusOr<bool> found = ParseRow(fields);
    // A row that touches the end of the text may continue after it.
    if (ended_ || at_ + 1 < text_.size()) return found;
    row_ = row;
    line_ = line;
    if (row == 0) row_line_ = 1;
    DL_RETURN_IF_ERROR(ReadOn(at));
  }
}

Status CsvScanner::Bad(int64_t field, std::string message, std::string remedy,
                       const std::string& name) const {
  const std::string place =
      absl::StrCat("row ", row_, field >= 0 ? absl::StrCat(", column ", field + 1) : "",
                   name.empty() ? "" : absl::StrCat(" (\"", name, "\")"));
  return InvalidArgument({.message = absl::StrCat(place, ": ", message),
                          .where = absl::StrCat(path_, ":", row_line_),
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
Status CsvScanner::QuotedField(std::string& out) {
  while (true) {
    const size_t quote = text_.find('"', at_);
    if (quote == std::string_view::npos) {
      if (!ended_) at_ = text_.size();
      return Bad(-1, "a quoted field does not end",
                 "Close it with a quote; write a quote inside a field twice");
    }
    for (size_t i = at_; i < quote; ++i) line_ += text_[i] == '\n';
    out.append(text_.substr(at_, quote - at_));
    at_ = quote + 1;
    if (at_ == text_.size() || text_[at_] != '"') break;
    out.push_back('"');
    ++at_;
  }
  if (!signs_.blanks) {
    while (at_ < text_.size() && text_[at_] == ' ' && signs_.separator != ' ') ++at_;
  }
  if (AtLineEnd() || AtSeparator()) return absl::OkStatus();
  return Bad(-1, "text follows a closing quote",
             "Put the whole field into quotes; write a quote inside it twice");
}

void CsvScanner::PlainField(std::string& out) {
  const size_t begin = at_;
  while (!AtLineEnd() && !AtSeparator()) ++at_;
  std::string_view field = text_.substr(begin, at_ - begin);
  while (!field.empty() && IsBlank(field.back())) field.remove_suffix(1);
  out.append(field);
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

StatusOr<bool> CsvScanner::ParseRow(std::vector<std::string>& fields) {
  SkipEmptyLines();
  if (at_ == text_.size()) return false;
  ++row_;
  row_line_ = line_;
  size_t count = 0;
  while (true) {
    if (count == static_cast<size_t>(limits::kMaxCsvColumns)) {
      return Bad(-1, absl::StrCat("has more than ", limits::kMaxCsvColumns, " columns"),
                 "Check the separator, or keep fewer columns");
    }
    if (count == fields.size()) fields.emplace_back();
    std::string& field = fields[count++];
    field.clear();
    SkipBlanks();
    if (at_ < text_.size() && text_[at_] == '"') {
      ++at_;
      DL_RETURN_IF_ERROR(QuotedField(field));
    } else {
      PlainField(field);
    }
    if (signs_.blanks) SkipBlanks();
    if (AtLineEnd()) break;
    if (!signs_.blanks) ++at_;  // the separator
  }
  EndLine();
  fields.resize(count);
  return true;
}

}  // namespace dl::dataset
