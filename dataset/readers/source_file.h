// A file of examples, plain, gzip or zstd (told by its first bytes, never by its name), read
// forward. Whoever reads knows how much may come: nothing is allocated for bytes that the file
// cannot hold.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "dataset/readers/content.h"

namespace dl::dataset {

// Not thread-safe.
class SourceFile {
 public:
  // A file that is packed in a way that is not read, or of a well-known other format, is an error
  // that says so; what begins with `own` is of the format that is meant. Errors: NotFound, not a
  // regular file, not readable.
  static StatusOr<SourceFile> Open(const std::string& path, std::string_view own = "");

  // The entry `name` of a zip archive; errors call it "PATH, NAME".
  static StatusOr<SourceFile> OpenZipEntry(const std::string& path, const std::string& name);

  // OK when the file can hold exactly `total` bytes of content: a plain file has that size, a
  // packed one is not too small for it.
  Status CheckTotal(int64_t total) const;
  // Fills `out`; a shorter file is DataLoss with the position.
  Status Read(std::span<std::byte> out);
  // OK at the end of the content; its checksum has been verified then, where it has one.
  Status ExpectEnd();
  // Up to `out.size()` bytes; fewer at the end only.
  StatusOr<size_t> ReadSome(std::span<std::byte> out);
  // Puts what comes next behind what `held` has: as much again, and 64 KiB at least, so that a long
  // line is not copied, nor looked at, once for each step. False: the file has ended with it.
  StatusOr<bool> ReadOnto(std::string& held);

  const std::string& path() const { return path_; }
  int64_t position() const { return position_; }  // in the content

  // An error about this file at a byte of its content; see readers/file_error.h.
  Status Damaged(int64_t position, std::string message, std::string_view remedy = "") const;

 private:
  SourceFile() = default;
  bool IsPlain() const { return content_->MaxRatio() == 1; }

  std::string path_;
  int64_t file_bytes_ = 0;
  int64_t position_ = 0;
  std::unique_ptr<Content> content_;
};

}  // namespace dl::dataset
