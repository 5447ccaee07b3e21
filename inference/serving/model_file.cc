#include "inference/serving/model_file.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "inference/checkpoint_reader.h"
#include "inference/export/checkpoint_tensors.h"
#include "inference/export/model_facts.h"
#include "inference/export/tensors.h"
#include "inference/serving/part_reader.h"

namespace dl::inference {
namespace {

constexpr size_t kHeadDigits = 16;  // digits of the head's hash in a version

std::string Sha256Of(std::string_view text) {
  Sha256 hash;
  hash.Update(text);
  return hash.HexDigest();
}

}  // namespace

StatusOr<web::ModelFile> OpenSafetensors(rpc::ClientService& client, const std::string& name) {
  DL_ASSIGN_OR_RETURN(const LoadedCheckpoint checkpoint,
                      DescribeCheckpoint(name, CheckpointContent::kModel, client));
  const LoadedCheckpoint::Part& model = checkpoint.model();
  DL_ASSIGN_OR_RETURN(PartReader part,
                      PartReader::Open(std::make_shared<CheckpointReading>(client, checkpoint.name),
                                       model.key, model.layout->table, model.sha256));
  DL_ASSIGN_OR_RETURN(const ModelFacts facts, ReadFacts(checkpoint, client, /*license=*/""));
  std::string head =
      SafetensorsHead({.tensors = TensorsOf(checkpoint), .metadata = MetadataOf(facts)});
  // The head also depends on the program that writes it.
  web::ModelFile file{
      .name = absl::StrCat(checkpoint.name, ".safetensors"),
      .version = absl::StrCat(checkpoint.state_sha256, "-", Sha256Of(head).substr(0, kHeadDigits)),
      .bytes = std::ssize(head) + part.bytes(),
      .held_bytes = std::ssize(head) + part.HeldBytes()};
  file.write = [head = std::move(head), part = std::move(part)](int64_t first, int64_t end,
                                                                ByteSink sink) -> Status {
    const int64_t of_head = std::ssize(head);
    if (end <= of_head) part.EndReading();
    if (first < of_head) {
      const auto count = static_cast<size_t>(std::min(end, of_head) - first);
      DL_RETURN_IF_ERROR(sink(std::string_view(head).substr(static_cast<size_t>(first), count)));
    }
    return end <= of_head ? absl::OkStatus()
                          : part.Read(std::max<int64_t>(0, first - of_head), end - of_head, sink);
  };
  return file;
}

}  // namespace dl::inference
