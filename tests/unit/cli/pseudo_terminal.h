// A terminal of a test: what a program writes to it, and keys.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dl::cli {

// A pseudo-terminal that records what is written to it.
class PseudoTerminal {
 public:
  PseudoTerminal(int columns, int lines);
  ~PseudoTerminal();
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;

  const std::string& device() const { return device_; }
  const std::string& text() const { return text_; }
  void Resize(int columns, int lines) const;
  // Presses keys.
  void Type(const std::string& keys) const;
  // Returns whether the terminal waits for whole lines and echoes keys, as for a shell.
  bool HasLineMode() const;

  // Reads until the text contains `piece` that many times. Returns false if this takes too long.
  bool ReadUntil(const std::string& piece, int times);
  // Forgets the text, and reads until the text contains `piece`.
  bool ReadAgainUntil(const std::string& piece);
  // Reads what is available without waiting.
  void ReadRest();

  // Returns the lines of the screen after the text was written. The program may use carriage
  // returns, line feeds, "clear to the end of the line" and titles, and no other sequences.
  std::vector<std::string> Screen() const;

 private:
  int Count(const std::string& piece) const;
  bool ReadMore(int timeout_ms);

  int fd_ = -1, held_ = -1;
  std::string device_, text_;
};

}  // namespace dl::cli
