#include "base/json.h"
#include "inference/export/tensors.h"

namespace dl::inference {

Status WriteSafetensors(const TensorFile& file, ByteSink sink) {
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
  DL_RETURN_IF_ERROR(sink({reinterpret_cast<const char*>(&length), sizeof(length)}));
  DL_RETURN_IF_ERROR(sink(text));
  for (const NamedTensor& tensor : file.tensors) DL_RETURN_IF_ERROR(sink(BytesOf(tensor)));
  return absl::OkStatus();
}

}  // namespace dl::inference
