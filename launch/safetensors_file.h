// A file of named tensors in the format safetensors (huggingface.co/docs/safetensors): 8 bytes with
// the length of the header, little-endian; the header, a JSON object of
//   "name": {"dtype": "F32", "shape": [64, 3, 7, 7], "data_offsets": [begin, end]}
// and perhaps "__metadata__"; the values, little-endian, at those offsets behind the header.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_descriptor.h"
#include "base/status.h"

namespace dl::launch {

struct FileTensor {
  std::string dtype;  // "F32"
  std::vector<int64_t> shape;
  int64_t elements = 0;
  int64_t begin = 0, bytes = 0;  // of its values, behind the header
};

// The tensors of a header by name, each within `data_bytes`. InvalidArgument, of no file, for what
// is no header.
StatusOr<std::map<std::string, FileTensor>> TensorsOfHeader(std::string_view header,
                                                            int64_t data_bytes);

// Not thread-safe.
class SafetensorsFile {
 public:
  // Reads the header. NotFound, InvalidArgument and DataLoss name the file and what to do.
  static StatusOr<SafetensorsFile> Open(const std::string& path);

  const std::string& path() const { return path_; }
  const std::map<std::string, FileTensor>& tensors() const { return tensors_; }
  // Values of one from its element `first` on, as float32: float64 is rounded to the nearest,
  // float16 and bfloat16 are exact. InvalidArgument for another type, and for values that are not
  // finite as a float32. REQUIRES: they are there.
  Status Read(const std::string& name, int64_t first, std::span<float> out) const;

 private:
  Status ReadBytes(int64_t offset, std::span<std::byte> out) const;

  std::string path_;
  FileDescriptor file_;
  int64_t data_begin_ = 0;
  std::map<std::string, FileTensor> tensors_;
};

}  // namespace dl::launch
