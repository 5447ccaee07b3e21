// The bytes that a file stands for, unpacked as they are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/status.h"

namespace dl::dataset {

// How many bytes one of deflate can stand for (zlib, "Technical Details"): 1032.
inline constexpr int64_t kMaxDeflateRatio = 1032;

// Not thread-safe.
class Content {
 public:
  virtual ~Content() = default;
  // Up to `out.size()` bytes, fewer at the end only. DataLoss: what is packed is cut or damaged;
  // the place is the file.
  virtual StatusOr<size_t> Read(std::span<std::byte> out) = 0;

  // How many bytes one byte of the file can stand for; 1: the file is its content.
  virtual int64_t MaxRatio() const = 0;
};

// Plain, or gzip, which its first two bytes say. InvalidArgument: it cannot be opened.
StatusOr<std::unique_ptr<Content>> OpenGzipOrPlain(const std::string& path);

// Zstandard: frames, one behind the other. Windows beyond 128 MiB (`zstd --long=28`) are errors.
StatusOr<std::unique_ptr<Content>> OpenZstd(const std::string& path);

// The entry `name` of a zip archive, stored or deflated. NotFound: there is none of that name.
StatusOr<std::unique_ptr<Content>> OpenZipEntry(const std::string& path, const std::string& name);

}  // namespace dl::dataset
