#include "base/json.h"
#include "cli/export/tensors.h"

namespace dl::cli {

StatusOr<std::string> Safetensors(const TensorFile& file) {
  Json header = Json::object();
  if (!file.metadata.empty()) header["__metadata__"] = file.metadata;
  uint64_t offset = 0;
  for (const NamedTensor& tensor : file.tensors) {
    const uint64_t end = offset + tensor.values.size_bytes();
    header[tensor.name] = {
        {"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = JsonText(header);
  text.append((8 - text.size() % 8) % 8, ' ');
  const uint64_t length = text.size();
  std::string out(reinterpret_cast<const char*>(&length), sizeof(length));
  out.reserve(sizeof(length) + text.size() + offset);
  out += text;
  for (const NamedTensor& tensor : file.tensors) {
    out.append(reinterpret_cast<const char*>(tensor.values.data()), tensor.values.size_bytes());
  }
  return out;
}

}  // namespace dl::cli
