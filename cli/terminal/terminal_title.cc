#include "cli/terminal/terminal_title.h"

#include <ostream>

#include "absl/strings/str_cat.h"
#include "base/printable.h"

namespace dl::cli {

void TerminalTitle::Show(const std::string& job, int percent) {
  if (terminal_ == nullptr) return;
  const std::string text = absl::StrCat(percent, " % ", PrintableName(job));
  if (text == shown_) return;
  if (!is_shown_) *terminal_ << "\x1b[22;0t";  // remembers the title
  *terminal_ << "\x1b]2;" << text << "\x1b\\\x1b]9;4;1;" << percent << "\x1b\\" << std::flush;
  is_shown_ = true;
  shown_ = text;
}

void TerminalTitle::Restore() {
  if (is_shown_) *terminal_ << kRestore << std::flush;
  is_shown_ = false;
  shown_.clear();
}

bool HasTerminalTitle(const std::map<std::string, std::string>& environment) {
  const auto value = [&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::string() : found->second;
  };
  const std::string term = value("TERM");
  return !term.empty() && term != "dumb" && term != "linux" && value("DL_TERMINAL_TITLE") != "off";
}

}  // namespace dl::cli
