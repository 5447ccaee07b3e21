#include "dataset/readers/csv_scanner.h"

#include "absl/strings/str_cat.h"
#include "base/limits.h"

namespace dl::dataset {

CsvScanner::CsvScanner(std::string_view text, char separator, std::string path)
    : text_(text), separator_(separator), path_(std::move(path)) {
  if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);
}

Status CsvScanner::Bad(int64_t field, std::string message, std::string remedy) const {
  const std::string place =
      absl::StrCat("row ", row_, field >= 0 ? absl::StrCat(", column ", field + 1) : "");
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

StatusOr<bool> CsvScanner::NextRow(std::vector<std::string>& fields) {
  while (at_ < text_.size() && AtLineEnd()) {  // empty lines
    line_ += text_[at_] == '\n';
    ++at_;
  }
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
