// Describes an exported model: as metadata of the file, and as a card for readers.
#pragma once

#include <map>
#include <string>

#include "base/json.h"
#include "base/status.h"
#include "inference/checkpoint_reader.h"
#include "inference/export/tensors.h"
#include "rpc/service.h"

namespace dl::inference {

struct ModelFacts {
  const LoadedCheckpoint& checkpoint;
  Json training_set;  // manifest, as the master returns it
  // {"round":470,"epoch":10,"train":{"loss":0.1},"test":{"loss":0.2,"accuracy":0.9}}; "epoch",
  // "train" and "test" may be absent.
  Json metrics = Json::object();
  std::string license = {};  // as SpdxSpelling (inference/export/license.h); empty: not stated
};

// Reads the manifest of the training set, and the figures of the epoch that ended with the
// checkpoint's round. `checkpoint` must outlive the result. Returns errors of these queries.
StatusOr<ModelFacts> ReadFacts(const LoadedCheckpoint& checkpoint, rpc::ClientService& client,
                               const std::string& license);

// Returns the metadata of docs/formats.md, "Exports". The values are UTF-8.
std::map<std::string, std::string> MetadataOf(const ModelFacts& facts);

// Returns the model card: Markdown that begins with a block of YAML, and ends with a comment that
// has the SHA-256 of the text before it. `file_name` is the name of the safetensors file without
// its folder. Texts of the job are escaped. Lists have at most 100 rows.
std::string ModelCard(const ModelFacts& facts, const TensorFile& file,
                      const std::string& file_name);
// Returns whether the text is a result of ModelCard that was not changed.
bool IsUnchangedCard(const std::string& text);

}  // namespace dl::inference
