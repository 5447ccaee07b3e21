// A program that fills the terminal, such as `dl-submit top`.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"

namespace dl::cli {

enum class LineStyle { kPlain, kTitle, kHeading, kTrouble };
struct ScreenLine {
  std::string text;  // one line without control characters
  LineStyle style = LineStyle::kPlain;
};

struct ScreenSize {
  size_t columns = 80, lines = 24;
};

// While an object exists, the terminal shows its alternate screen, without a cursor and without
// echo of keys. The destructor restores the terminal. Ctrl-Z also restores it before it stops the
// process, and so does a signal that ends the process: SIGINT (Ctrl-C), SIGTERM, SIGHUP or SIGQUIT.
// The exit code is then 128 plus the number of the signal. At most one object may exist in a
// process at a time. Not thread-safe.
class FullScreen {
 public:
  enum class Colors { kOn, kOff };
  // Returns FailedPrecondition if standard output is no terminal.
  static StatusOr<std::unique_ptr<FullScreen>> Open(Colors colors);
  ~FullScreen();
  FullScreen(const FullScreen&) = delete;
  FullScreen& operator=(const FullScreen&) = delete;

  // Returns the current size of the terminal.
  ScreenSize size() const;
  // Replaces what the screen shows. Lines and columns that do not fit are left out.
  void Show(const std::vector<ScreenLine>& lines) const;
  // Returns the next key. Returns nullopt after `timeout`, or earlier if the size of the terminal
  // changed. Returns 'q' if standard input has ended. Without a terminal as standard input, no key
  // is read.
  std::optional<char> ReadKey(Duration timeout) const;

 private:
  explicit FullScreen(Colors colors) : colors_(colors) {}
  const Colors colors_;
};

// Returns the first `columns` characters of a text in UTF-8.
std::string CutToColumns(const std::string& text, size_t columns);

}  // namespace dl::cli
