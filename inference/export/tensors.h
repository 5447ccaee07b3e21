// The content of an export, independent of its format.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/status.h"

namespace dl::inference {

struct NamedTensor {
  std::string name;            // TensorsOf (inference/export/checkpoint_tensors.h) forms it
  std::vector<int64_t> shape;  // row-major
  std::span<const float> values;
};

// Returns the bytes of the values, which the tensor does not own.
inline std::string_view BytesOf(const NamedTensor& tensor) {
  return {reinterpret_cast<const char*>(tensor.values.data()), tensor.values.size_bytes()};
}

// The tensors and the text of one file. Does not own the values.
struct TensorFile {
  std::vector<NamedTensor> tensors;             // with distinct names, stored in this order
  std::map<std::string, std::string> metadata;  // UTF-8
};

// The two functions below write a file piece by piece without copying the values. Equal content
// gives equal bytes. Errors are those of the sink. WriteNpz also returns Internal if libarchive
// fails.

// Writes 8 bytes with the little-endian length of the header, the header (JSON, padded with spaces
// to a multiple of 8), and the values. Format: huggingface.co/docs/safetensors.
Status WriteSafetensors(const TensorFile& file, ByteSink sink);
// Returns the bytes before the values. Uses the shapes of the tensors and not their values.
std::string SafetensorsHead(const TensorFile& file);

// Writes an uncompressed zip archive with a .npy file (format 1.0) for each tensor, and
// "__metadata__", a string of JSON, if the file has metadata. Uses zip64 if necessary. Format:
// numpy.org/doc/stable/reference/generated/numpy.lib.format.html.
Status WriteNpz(const TensorFile& file, ByteSink sink);

}  // namespace dl::inference
