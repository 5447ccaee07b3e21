#include "tests/unit/cli/pseudo_terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>

#include "base/clock.h"
#include "base/status.h"
#include "tests/unit/cli/submit_program.h"

namespace dl::cli {

PseudoTerminal::PseudoTerminal(int columns, int lines)
    : fd_(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
  DL_CHECK(fd_ >= 0 && grantpt(fd_) == 0 && unlockpt(fd_) == 0);
  char name[64];
  DL_CHECK(ptsname_r(fd_, name, sizeof name) == 0);
  device_ = name;
  // Keeps the terminal open, so that it and its size persist while no process uses it.
  held_ = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  DL_CHECK(held_ >= 0);
  Resize(columns, lines);
}

PseudoTerminal::~PseudoTerminal() {
  close(held_);
  close(fd_);
}

void PseudoTerminal::Resize(int columns, int lines) const {
  const winsize size = {.ws_row = static_cast<unsigned short>(lines),
                        .ws_col = static_cast<unsigned short>(columns),
                        .ws_xpixel = 0,
                        .ws_ypixel = 0};
  DL_CHECK(ioctl(held_, TIOCSWINSZ, &size) == 0);
}

void PseudoTerminal::Type(const std::string& keys) const {
  DL_CHECK(write(fd_, keys.data(), keys.size()) == static_cast<ssize_t>(keys.size()));
}

bool PseudoTerminal::HasLineMode() const {
  termios settings = {};
  DL_CHECK(tcgetattr(held_, &settings) == 0);
  return (settings.c_lflag & ICANON) != 0 && (settings.c_lflag & ECHO) != 0;
}

bool PseudoTerminal::ReadUntil(const std::string& piece, int times) {
  for (const Instant limit = Clock::Real().Now() + kTimeout; Count(piece) < times;) {
    if (Clock::Real().Now() > limit) return false;
    ReadMore(1000);
  }
  return true;
}

bool PseudoTerminal::ReadAgainUntil(const std::string& piece) {
  text_.clear();
  return ReadUntil(piece, 1);
}

void PseudoTerminal::ReadRest() {
  while (ReadMore(0)) {
  }
}

std::vector<std::string> PseudoTerminal::Screen() const {
  std::vector<std::string> lines = {""};
  size_t column = 0;
  for (size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\r') {
      column = 0;
    } else if (text_[i] == '\n') {
      lines.emplace_back();
    } else if (text_.compare(i, 3, "\x1b[K") == 0) {
      lines.back().resize(std::min(column, lines.back().size()));
      i += 2;
    } else if (text_.compare(i, 2, "\x1b]") == 0) {
      i = std::min(text_.find("\x1b\\", i), text_.size()) + 1;
    } else if (text_.compare(i, 2, "\x1b[") == 0 && text_.find("0t", i) == i + 5) {
      i += 6;
    } else {
      lines.back().resize(std::max(lines.back().size(), column + 1), ' ');
      lines.back()[column++] = text_[i];
    }
  }
  return lines;
}

int PseudoTerminal::Count(const std::string& piece) const {
  int count = 0;
  for (size_t at = text_.find(piece); at != std::string::npos; at = text_.find(piece, at + 1))
    ++count;
  return count;
}

bool PseudoTerminal::ReadMore(int timeout_ms) {
  pollfd ready = {.fd = fd_, .events = POLLIN, .revents = 0};
  if (poll(&ready, 1, timeout_ms) <= 0 || (ready.revents & POLLIN) == 0) return false;
  char bytes[4096];
  const ssize_t count = read(fd_, bytes, sizeof bytes);
  if (count > 0) text_.append(bytes, static_cast<size_t>(count));
  return count > 0;
}

}  // namespace dl::cli
