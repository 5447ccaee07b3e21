#include "dataset/readers/text/text_lines.h"

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "dataset/readers/foreign_format.h"

namespace dl::dataset {

StatusOr<bool> TextLines::Next(std::string_view& line) {
  size_t searched = at_;
  for (;;) {
    const size_t end = held_.find_first_of("\r\n", searched);
    // An LF may follow a CR that is the last byte so far.
    if ((end != std::string::npos && end + 1 < held_.size()) || ended_) {
      if (end == std::string::npos && at_ == held_.size()) return false;
      line = std::string_view(held_).substr(at_, end == std::string::npos ? end : end - at_);
      const bool two = end != std::string::npos && held_.compare(end, 2, "\r\n") == 0;
      at_ = end == std::string::npos ? held_.size() : end + (two ? 2 : 1);
      if (line_++ == 0 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
      return true;
    }
    held_.erase(0, at_);
    at_ = 0;
    searched = held_.empty() ? 0 : held_.size() - 1;
    if (held_.size() > limits::kMaxTextLineBytes) {
      ++line_;
      return Bad(0, absl::StrCat("the line has more than ", limits::kMaxTextLineBytes, " bytes"),
                 "End each example with a line end");
    }
    const bool is_first = file_.position() == 0;
    DL_ASSIGN_OR_RETURN(const bool more, file_.ReadOnto(held_));
    if (is_first) {
      if (const auto encoding = RecognizeEncoding(held_, file_.path()))
        return ForeignFileError(*encoding, file_.path());
    }
    ended_ = !more;
  }
}

Status TextLines::Bad(size_t at, std::string message, std::string remedy) const {
  return InvalidArgument({.message = std::move(message),
                          .where = absl::StrCat(file_.path(), ":", line_, ":", at + 1),
                          .remedy = std::move(remedy)});
}

}  // namespace dl::dataset
