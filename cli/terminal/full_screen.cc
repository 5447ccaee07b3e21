#include "cli/terminal/full_screen.h"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "absl/strings/str_cat.h"

namespace dl::cli {
namespace {

constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l\x1b[2J\x1b[H";
constexpr std::string_view kLeave = "\x1b[0m\x1b[?25h\x1b[?1049l";
constexpr int kEndingSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

// State that the signal handlers use.
bool has_keys = false;  // standard input is a terminal whose settings are in `saved`
termios saved = {};

void WriteAll(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
}

// Both functions may be called in a signal handler.
void EnterScreen() {
  if (has_keys) {
    termios raw = saved;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
  }
  WriteAll(kEnter);
}
void LeaveScreen() {
  WriteAll(kLeave);
  if (has_keys) tcsetattr(STDIN_FILENO, TCSADRAIN, &saved);
}

void EndProcess(int signal) {
  LeaveScreen();
  _exit(128 + signal);
}

void StopProcess(int) {
  const int error = errno;
  LeaveScreen();
  raise(SIGSTOP);
  EnterScreen();
  errno = error;
}

void WakeUp(int) {}  // poll returns

void Handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigaction(signal, &action, nullptr);
}

const char* CodeOf(LineStyle style, FullScreen::Colors colors) {
  switch (style) {
    case LineStyle::kPlain:
      return "";
    case LineStyle::kTitle:
      return "\x1b[7m";
    case LineStyle::kHeading:
      return "\x1b[1m";
    case LineStyle::kTrouble:
      return colors == FullScreen::Colors::kOn ? "\x1b[31m" : "";
  }
  return "";
}

}  // namespace

std::string CutToColumns(const std::string& text, size_t columns) {
  size_t end = 0;
  for (size_t characters = 0; end < text.size(); ++end) {
    const bool begins = (static_cast<unsigned char>(text[end]) & 0xC0) != 0x80;
    if (begins && characters++ == columns) break;
  }
  return text.substr(0, end);
}

StatusOr<std::unique_ptr<FullScreen>> FullScreen::Open(Colors colors) {
  if (isatty(STDOUT_FILENO) == 0)
    return FailedPrecondition({.message = "standard output is no terminal"});
  has_keys = isatty(STDIN_FILENO) != 0 && tcgetattr(STDIN_FILENO, &saved) == 0;
  for (const int signal : kEndingSignals) Handle(signal, EndProcess);
  Handle(SIGTSTP, StopProcess);
  Handle(SIGWINCH, WakeUp);
  EnterScreen();
  return std::unique_ptr<FullScreen>(new FullScreen(colors));
}

FullScreen::~FullScreen() {
  for (const int signal : kEndingSignals) Handle(signal, SIG_DFL);
  Handle(SIGTSTP, SIG_DFL);
  Handle(SIGWINCH, SIG_DFL);
  LeaveScreen();
}

ScreenSize FullScreen::size() const {
  winsize found = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &found) != 0 || found.ws_col == 0 || found.ws_row == 0)
    return {};
  return {.columns = found.ws_col, .lines = found.ws_row};
}

void FullScreen::Show(const std::vector<ScreenLine>& lines) const {
  const ScreenSize limits = size();
  std::string bytes = "\x1b[H";
  for (size_t i = 0; i < std::min(lines.size(), limits.lines); ++i) {
    const std::string text = CutToColumns(lines[i].text, limits.columns);
    absl::StrAppend(&bytes, i == 0 ? "" : "\n", CodeOf(lines[i].style, colors_), text,
                    "\x1b[0m\x1b[K");
  }
  WriteAll(bytes + "\x1b[J");
}

std::optional<char> FullScreen::ReadKey(Duration timeout) const {
  pollfd keys = {.fd = has_keys ? STDIN_FILENO : -1, .events = POLLIN, .revents = 0};
  const auto wait_ms = std::chrono::duration_cast<std::chrono::milliseconds>(timeout).count();
  if (poll(&keys, 1, static_cast<int>(std::clamp<int64_t>(wait_ms, 0, 3'600'000))) <= 0)
    return std::nullopt;
  char key = 0;
  return read(STDIN_FILENO, &key, 1) == 1 ? key : 'q';
}

}  // namespace dl::cli
