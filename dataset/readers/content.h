// Reads the content of a file and decompresses it on the way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace dl::dataset {

// The largest number of bytes that one byte of deflate can represent (zlib, "Technical Details"):
// 1032.
inline constexpr int64_t kMaxDeflateRatio = 1032;

// Not thread-safe.
class Content {
 public:
  virtual ~Content() = default;
  // Reads up to `out.size()` bytes, fewer only at the end, and returns the number. Returns
  // DataLoss, with the file as its place, if the compressed data is truncated or damaged, or if the
  // file cannot be read.
  virtual StatusOr<size_t> Read(std::span<std::byte> out) = 0;

  // Returns how many bytes one byte of the file can represent at most. 1: the file is not
  // compressed.
  virtual int64_t MaxRatio() const = 0;
};

// Opens a plain file or a gzip file, which is recognized by its first two bytes. Returns
// InvalidArgument if the file cannot be opened.
StatusOr<std::unique_ptr<Content>> OpenGzipOrPlain(const std::string& path);

// Opens a Zstandard file, which may have several frames. Returns InvalidArgument if the file cannot
// be opened. Windows larger than 128 MiB (`zstd --long=28`) are errors of Content::Read.
StatusOr<std::unique_ptr<Content>> OpenZstd(const std::string& path);

// Opens the entry `name` of a zip archive, stored or deflated. Returns InvalidArgument if the
// archive has no such entry or if the entry is encrypted, and DataLoss if the file cannot be
// opened as a zip archive.
StatusOr<std::unique_ptr<Content>> OpenZipEntry(const std::string& path, const std::string& name);

// Returns the names of the entries of a zip archive, in its order, without names that UTF-8 cannot
// represent. Returns DataLoss if the file cannot be read as a zip archive.
StatusOr<std::vector<std::string>> ZipEntryNames(const std::string& path);

}  // namespace dl::dataset
