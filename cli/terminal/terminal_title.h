// Progress in the title of a terminal, and on its tab or icon (OSC 9;4).
#pragma once

#include <iosfwd>
#include <map>
#include <string>

namespace dl::cli {

// Not thread-safe.
class TerminalTitle {
 public:
  // Removes the progress, and restores the title from before Show.
  static constexpr char kRestore[] = "\x1b]9;4;0\x1b\\\x1b[23;0t";

  // Writes to `terminal`, which must outlive the object. Null: shows nothing.
  explicit TerminalTitle(std::ostream* terminal) : terminal_(terminal) {}

  // Shows a job and how much of it is done. Writes only if one of them changed.
  void Show(const std::string& job, int percent);
  void Restore();
  bool is_shown() const { return is_shown_; }

 private:
  std::ostream* terminal_;
  bool is_shown_ = false;
  std::string shown_;
};

// Returns whether the terminal is known to have a title: TERM is not "dumb" or "linux" and not
// empty, and DL_TERMINAL_TITLE is not "off".
bool HasTerminalTitle(const std::map<std::string, std::string>& environment);

}  // namespace dl::cli
