// Files of weights from users.
#include <cmath>
#include <vector>

#include "launch/import/safetensors_file.h"
#include "tests/fuzz/fuzz_target.h"

namespace dl::fuzz {

// Every tensor that can be read must be read whole and be finite.
bool FuzzSafetensors(std::string_view bytes) {
  const auto file = launch::SafetensorsFile::Open(WriteInput(bytes, "w.safetensors"));
  if (!file.ok()) {
    RequireGoodError(file.status());
    return false;
  }
  for (const auto& [name, tensor] : file->tensors()) {
    Require(tensor.begin + tensor.bytes <= static_cast<int64_t>(bytes.size()),
            "a tensor lies within its file");
    if (tensor.elements > static_cast<int64_t>(bytes.size()))
      continue;  // has a type that is not supported
    std::vector<float> values(tensor.elements);
    const Status read = file->Read(name, 0, values);
    if (!read.ok()) RequireGoodError(read);
    for (const float value : values)
      Require(!read.ok() || std::isfinite(value), "values are finite");
  }
  return true;
}

}  // namespace dl::fuzz
