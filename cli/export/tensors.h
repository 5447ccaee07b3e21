// What an export holds, whatever its format.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace dl::cli {

struct NamedTensor {
  std::string name;            // the segment's
  std::vector<int64_t> shape;  // row-major
  std::span<const float> values;
};

struct TensorFile {
  std::vector<NamedTensor> tensors;
  std::map<std::string, std::string> metadata;  // UTF-8
};

// The whole file: 8 bytes little-endian length of the header, the header (JSON, padded with spaces
// to a multiple of 8), the values. Format: huggingface.co/docs/safetensors.
StatusOr<std::string> Safetensors(const TensorFile& file);

// The whole file: a zip archive without compression of one .npy (format 1.0) for each tensor, and
// "__metadata__", a string of JSON. Format:
// numpy.org/doc/stable/reference/generated/numpy.lib.format.html. InvalidArgument beyond 4 GiB (no
// zip64).
StatusOr<std::string> Npz(const TensorFile& file);

}  // namespace dl::cli
