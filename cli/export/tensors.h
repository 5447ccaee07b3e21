// What an export holds, whatever its format.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/status.h"

namespace dl::cli {

struct NamedTensor {
  std::string name;            // the segment's
  std::vector<int64_t> shape;  // row-major
  std::span<const float> values;
};

inline std::string_view BytesOf(const NamedTensor& tensor) {
  return {reinterpret_cast<const char*>(tensor.values.data()), tensor.values.size_bytes()};
}

struct TensorFile {
  std::vector<NamedTensor> tensors;
  std::map<std::string, std::string> metadata;  // UTF-8
};

// Both write a whole file piece by piece, the values from where they lie: no copy of them is made,
// however large. Equal files give equal bytes. An error is the sink's.

// 8 bytes little-endian length of the header, the header (JSON, padded with spaces to a multiple of
// 8), the values. Format: huggingface.co/docs/safetensors.
Status WriteSafetensors(const TensorFile& file, ByteSink sink);

// A zip archive without compression of one .npy (format 1.0) for each tensor, and "__metadata__", a
// string of JSON; with the extensions of zip64 where it has to be. Format:
// numpy.org/doc/stable/reference/generated/numpy.lib.format.html.
Status WriteNpz(const TensorFile& file, ByteSink sink);

}  // namespace dl::cli
