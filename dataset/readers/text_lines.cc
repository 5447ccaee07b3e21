#include "dataset/readers/text_lines.h"

#include <algorithm>
#include <span>

#include "absl/strings/str_cat.h"
#include "base/limits.h"

namespace dl::dataset {
namespace {

constexpr size_t kStep = 1 << 20;

}  // namespace

StatusOr<bool> TextLines::Next(std::string_view& line) {
  size_t searched = at_;
  for (;;) {
    const size_t end = held_.find('\n', searched);
    if (end != std::string::npos || ended_) {
      if (end == std::string::npos && at_ == held_.size()) return false;
      line = std::string_view(held_).substr(at_, end == std::string::npos ? end : end - at_);
      at_ = end == std::string::npos ? held_.size() : end + 1;
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (line_++ == 0 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
      return true;
    }
    held_.erase(0, at_);
    at_ = 0;
    searched = held_.size();
    if (searched > limits::kMaxTextLineBytes) {
      ++line_;
      return Bad(0, absl::StrCat("the line has more than ", limits::kMaxTextLineBytes, " bytes"),
                 "End each example with a line end");
    }
    // As much again as there is, so that a long line is not copied once for each step.
    const size_t step = std::max(kStep, searched);
    held_.resize(searched + step);
    DL_ASSIGN_OR_RETURN(
        const size_t got,
        file_.ReadSome(std::as_writable_bytes(std::span(held_.data() + searched, step))));
    held_.resize(searched + got);
    ended_ = got < step;
  }
}

Status TextLines::Bad(size_t at, std::string message, std::string remedy) const {
  return InvalidArgument({.message = std::move(message),
                          .where = absl::StrCat(file_.path(), ":", line_, ":", at + 1),
                          .remedy = std::move(remedy)});
}

}  // namespace dl::dataset
