// A file of examples that is read forward: plain, gzip or zstd, recognized by its first bytes and
// never by its name. With CheckTotal(), readers refuse a file before they allocate memory for bytes
// that it cannot hold.
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
  // Opens a file. `own` holds the first bytes of files in the format of the caller, if all begin
  // alike. A file that begins with them is not checked for other formats. Errors:
  //   - NotFound if the file does not exist.
  //   - InvalidArgument if it is not a regular file or cannot be opened.
  //   - InvalidArgument, which names the format, for an unsupported compression or another
  //     well-known format (dataset/readers/foreign_format.h), also if a compressed file contains
  //     it.
  static StatusOr<SourceFile> Open(const std::string& path, std::string_view own = "");

  // Opens the entry `name` of a zip archive. Later errors call it "PATH, NAME". Returns the errors
  // of Open and of OpenZipEntry (dataset/readers/content.h), and DataLoss if the file is not a zip
  // archive.
  static StatusOr<SourceFile> OpenZipEntry(const std::string& path, const std::string& name);

  // Returns OK if the file can hold exactly `total` bytes of content: a plain file has this size,
  // and a compressed file is large enough. Returns DataLoss if it cannot, and ResourceExhausted if
  // `total` exceeds limits::kMaxImportBytes.
  Status CheckTotal(int64_t total) const;
  // Fills `out`. Returns DataLoss with the position if the file is shorter. This and the functions
  // below also return the errors of Content::Read.
  Status Read(std::span<std::byte> out);
  // Returns OK at the end of the content, else DataLoss. The checksum of the content, if it has
  // one, has then been verified.
  Status ExpectEnd();
  // Reads up to `out.size()` bytes, fewer only at the end, and returns the number.
  StatusOr<size_t> ReadSome(std::span<std::byte> out);
  // Appends the next bytes to `held`: as many as `held` has already, but at least 64 KiB. The work
  // for a long line therefore stays proportional to its length. If the file ends before that,
  // appends the rest and returns false.
  StatusOr<bool> ReadOnto(std::string& held);

  const std::string& path() const { return path_; }
  int64_t position() const { return position_; }  // position in the content

  // Returns DataLoss about this file at a byte of its content. See dataset/readers/file_error.h.
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
