// Reads the lines of a text file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "dataset/readers/source_file.h"

namespace dl::dataset {

// Holds only a part of the file in memory: the current line and the bytes that were read with it.
// Not thread-safe.
class TextLines {
 public:
  // `file` must outlive this object.
  explicit TextLines(SourceFile& file) : file_(file) {}

  // Reads the next line without its end (LF, CR LF or CR) and returns true; returns false at the
  // end of the file. `line` is valid until the next call. A byte order mark is skipped. Returns
  // InvalidArgument for a line that exceeds a limit between limits::kMaxTextLineBytes and twice
  // that size, and for a file in UTF-16 or UTF-32. Other errors are those of reading the file.
  StatusOr<bool> Next(std::string_view& line);

  int64_t line() const { return line_; }  // number of the last line, from 1; 0: none yet
  // Returns InvalidArgument for a mistake at byte `at` of the last line, counted from 0. The error
  // names the place as FILE:LINE:COLUMN. LINE and COLUMN are counted from 1, COLUMN in bytes.
  Status Bad(size_t at, std::string message, std::string remedy) const;

 private:
  SourceFile& file_;
  std::string held_;
  size_t at_ = 0;  // start of the next line in held_
  bool ended_ = false;
  int64_t line_ = 0;
};

}  // namespace dl::dataset
