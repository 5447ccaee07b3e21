// The lines of a file of text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "dataset/readers/source_file.h"

namespace dl::dataset {

// Holds a part of the file at a time: a line, and what was read with it. Not thread-safe.
class TextLines {
 public:
  // `file` outlives it.
  explicit TextLines(SourceFile& file) : file_(file) {}

  // The next line without its end (LF, CR LF or CR), valid until the next call; false at the file's
  // end. A byte order mark is skipped. Errors: the file's, a line of more than 64 MiB.
  StatusOr<bool> Next(std::string_view& line);

  int64_t line() const { return line_; }  // the number of the last one, from 1
  // An error at a byte of the last line, from 0: the place is FILE:LINE:COLUMN, from 1.
  Status Bad(size_t at, std::string message, std::string remedy) const;

 private:
  SourceFile& file_;
  std::string held_;
  size_t at_ = 0;  // in held_: where the next line begins
  bool ended_ = false;
  int64_t line_ = 0;
};

}  // namespace dl::dataset
