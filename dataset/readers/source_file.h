// A file of examples, plain or gzip (told by its first two bytes), read forward. Whoever reads
// knows how much may come: nothing is allocated for bytes that the file cannot hold.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace dl::dataset {

class SourceFile {
 public:
  // Errors: NotFound, not a regular file, not readable.
  static StatusOr<SourceFile> Open(const std::string& path);
  SourceFile(SourceFile&&) noexcept;
  SourceFile& operator=(SourceFile&&) noexcept;
  ~SourceFile();

  // OK when the file can hold exactly `total` bytes of content: a plain file has that size, a gzip
  // file is not too small for it (deflate expands at most 1,032 times).
  Status CheckTotal(int64_t total) const;
  // Fills `out`; a shorter file is DataLoss with the position.
  Status Read(std::span<std::byte> out);
  // OK at the end of the content; for gzip its checksum has been verified then.
  Status ExpectEnd();
  // Up to `out.size()` bytes; fewer at the end only.
  StatusOr<size_t> ReadSome(std::span<std::byte> out);

  const std::string& path() const { return path_; }
  int64_t position() const { return position_; }  // in the content

  // An error about this file at a byte of its content; see readers/file_error.h.
  Status Damaged(int64_t position, std::string message, std::string_view remedy = "") const;

 private:
  struct Stream;
  SourceFile() = default;

  std::string path_;
  int64_t file_bytes_ = 0;
  int64_t position_ = 0;
  std::unique_ptr<Stream> stream_;
};

}  // namespace dl::dataset
