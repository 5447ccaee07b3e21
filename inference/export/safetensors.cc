#include "base/json.h"
#include "inference/export/tensors.h"

namespace dl::inference {

std::string SafetensorsHead(const TensorFile& file) {
  Json header = Json::object();
  if (!file.metadata.empty()) header["__metadata__"] = file.metadata;
  uint64_t offset = 0;
  for (const NamedTensor& tensor : file.tensors) {
    uint64_t end = offset + sizeof(float);
    for (const int64_t extent : tensor.shape)
      end = offset + (end - offset) * static_cast<uint64_t>(extent);
    header[tensor.name] = {
        {"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = JsonText(header);
  text.append((8 - text.size() % 8) % 8, ' ');
  const uint64_t length = text.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof(length)) + text;
}

Status WriteSafetensors(const TensorFile& file, ByteSink sink) {
  DL_RETURN_IF_ERROR(sink(SafetensorsHead(file)));
  for (const NamedTensor& tensor : file.tensors) DL_RETURN_IF_ERROR(sink(BytesOf(tensor)));
  return absl::OkStatus();
}

}  // namespace dl::inference
