// A file of named tensors in the safetensors format (huggingface.co/docs/safetensors). It consists
// of
//   - 8 bytes with the length of the header, little-endian,
//   - the header, a JSON object that may contain "__metadata__" and has an entry
//       "name": {"dtype": "F32", "shape": [64, 3, 7, 7], "data_offsets": [begin, end]}
//     for each tensor,
//   - the values, little-endian, at those offsets after the header. The tensors fill the rest of
//     the file, without gaps.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "base/status.h"

namespace dl::launch {

struct FileTensor {
  std::string dtype;  // "F32"
  std::vector<int64_t> shape;
  int64_t elements = 0;
  // Position of its values, counted from the end of the header, and their size.
  int64_t begin = 0, bytes = 0;
};

struct SafetensorsHeader {
  std::map<std::string, FileTensor> tensors;  // by name
  bool is_of_pytorch = false, is_export = false;
};

// Not thread-safe.
class SafetensorsFile {
 public:
  // Opens the file and reads its header. Returns NotFound, InvalidArgument if it is not a valid
  // file of tensors, or an error of the system. Errors name the file.
  static StatusOr<SafetensorsFile> Open(const std::string& path);

  const std::string& path() const { return path_; }
  const std::map<std::string, FileTensor>& tensors() const { return header_.tensors; }
  // Returns whether the metadata has "format": "pt", as PyTorch writes it.
  bool IsOfPyTorch() const { return header_.is_of_pytorch; }
  // Returns whether the metadata has a "state_sha256", as dl-submit export writes it.
  bool IsExport() const { return header_.is_export; }
  // Reads out.size() values of a tensor from its element `first`, as float32. float64 is rounded to
  // nearest; float16 and bfloat16 are exact. Returns InvalidArgument for other types, for values
  // that are not finite as float32, and if the file became shorter. Also returns errors of the
  // system. REQUIRES: the tensor exists and has these elements.
  Status Read(const std::string& name, int64_t first, std::span<float> out) const;

 private:
  Status ReadBytes(int64_t offset, std::span<std::byte> out) const;

  std::string path_;
  FileDescriptor file_;
  int64_t data_begin_ = 0;
  SafetensorsHeader header_;
};

}  // namespace dl::launch
