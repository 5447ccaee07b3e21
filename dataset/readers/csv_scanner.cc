#include "dataset/readers/csv_scanner.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/limits.h"

namespace dl::dataset {
namespace {

// What kMaxCsvColumns fields of numbers need, many times over.
constexpr int64_t kMaxRowBytes = 64 << 20;

}  // namespace

CsvScanner::CsvScanner(std::string_view text, CsvSigns signs, std::string path)
    : text_(text), separator_(signs.separator), comment_(signs.comment), path_(std::move(path)) {
  if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);
}

CsvScanner::CsvScanner(SourceFile& file, CsvSigns signs)
    : file_(&file),
      ended_(false),
      separator_(signs.separator),
      comment_(signs.comment),
      path_(file.path()) {}

Status CsvScanner::ReadOn(size_t kept) {
  const bool first = file_->position() == 0;
  held_.erase(0, kept);
  if (held_.size() > static_cast<size_t>(kMaxRowBytes)) {
    ended_ = true;
    return Bad(-1, absl::StrCat("has more than ", kMaxRowBytes, " bytes"),
               "Close its quotes, and check the separator");
  }
  DL_ASSIGN_OR_RETURN(const bool more, file_->ReadOnto(held_));
  ended_ = !more;
  text_ = held_;
  at_ = 0;
  if (first && text_.starts_with("\xef\xbb\xbf")) at_ = 3;
  return absl::OkStatus();
}

StatusOr<bool> CsvScanner::NextRow(std::vector<std::string>& fields) {
  for (;;) {
    const size_t at = at_;
    const int64_t row = row_, line = line_;
    StatusOr<bool> found = ParseRow(fields);
    // What touches the end of the text may go on behind it.
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

bool CsvScanner::AtLineEnd() const {
  return at_ == text_.size() || text_[at_] == '\n' ||
         (text_[at_] == '\r' && (at_ + 1 == text_.size() || text_[at_ + 1] == '\n'));
}

// at_ stands behind the opening quote.
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
  while (at_ < text_.size() && text_[at_] == ' ' && separator_ != ' ') ++at_;
  if (AtLineEnd() || text_[at_] == separator_) return absl::OkStatus();
  return Bad(-1, "text follows a closing quote",
             "Put the whole field into quotes; write a quote inside it twice");
}

void CsvScanner::PlainField(std::string& out) {
  const size_t begin = at_;
  while (!AtLineEnd() && text_[at_] != separator_) ++at_;
  std::string_view field = text_.substr(begin, at_ - begin);
  while (!field.empty() && (field.back() == ' ' || field.back() == '\t')) field.remove_suffix(1);
  out.append(field);
}

// And comments.
void CsvScanner::SkipEmptyLines() {
  while (at_ < text_.size()) {
    if (AtLineEnd()) {
      line_ += text_[at_] == '\n';
      ++at_;
    } else if (comment_ != '\0' && text_[at_] == comment_) {
      at_ = std::min(text_.find('\n', at_), text_.size());
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
    while (at_ < text_.size() && text_[at_] != separator_ &&
           (text_[at_] == ' ' || text_[at_] == '\t')) {
      ++at_;
    }
    if (at_ < text_.size() && text_[at_] == '"') {
      ++at_;
      DL_RETURN_IF_ERROR(QuotedField(field));
    } else {
      PlainField(field);
    }
    if (AtLineEnd()) break;
    ++at_;  // the separator
  }
  if (at_ < text_.size() && text_[at_] == '\r') ++at_;
  if (at_ < text_.size()) {
    ++at_;
    ++line_;
  }
  fields.resize(count);
  return true;
}

}  // namespace dl::dataset
