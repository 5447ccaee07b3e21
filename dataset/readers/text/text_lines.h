// Reads the lines of a text file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "dataset/readers/source_file.h"

namespace dl::dataset {

// Holds only a part of the file in memory: a line and what was read with it. Not thread-safe.
class TextLines {
 public:
  // `file` must outlive this object.
  explicit TextLines(SourceFile& file) : file_(file) {}

  // Reads the next line without its end (LF, CR LF or CR) and returns true; returns false at the
  // end of the file. `line` is valid until the next call. A byte order mark is skipped. Errors of
  // the file pass through. A line of more than 64 MiB, and a file in UTF-16 or UTF-32, give
  // InvalidArgument.
  StatusOr<bool> Next(std::string_view& line);

  int64_t line() const { return line_; }  // number of the last line, from 1
  // Returns InvalidArgument about byte `at` (from 0) of the last line. The place is
  // FILE:LINE:COLUMN, counted from 1.
  Status Bad(size_t at, std::string message, std::string remedy) const;

 private:
  SourceFile& file_;
  std::string held_;
  size_t at_ = 0;  // start of the next line in held_
  bool ended_ = false;
  int64_t line_ = 0;
};

}  // namespace dl::dataset
