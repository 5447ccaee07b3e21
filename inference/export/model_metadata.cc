#include <array>
#include <utility>

#include "inference/export/model_facts.h"
#include "nn/conf/model_json.h"

namespace dl::inference {
namespace {

// Members of the schema that describe the inputs, and their names in the metadata.
constexpr std::array<std::pair<const char*, const char*>, 4> kMembers = {
    {{"feature_shape", "shape"},
     {"feature_type", "type"},
     {"feature_names", "names"},
     {"columns", "columns"}}};

Json FeaturesJson(const Json& schema) {
  Json features = Json::object();
  for (const auto& [key, name] : kMembers) {
    if (const auto found = schema.find(key); found != schema.end()) features[name] = *found;
  }
  return features;
}

// Returns the names of the classes, or their numbers if they have no names.
Json ClassesJson(const Json& schema) {
  if (const auto names = schema.find("class_names"); names != schema.end()) return *names;
  Json classes = Json::array();
  for (int64_t i = 0; i < schema.value("classes", int64_t{0}); ++i)
    classes.push_back(std::to_string(i));
  return classes;
}

}  // namespace

std::map<std::string, std::string> MetadataOf(const ModelFacts& facts) {
  const LoadedCheckpoint& checkpoint = facts.checkpoint;
  std::map<std::string, std::string> metadata = {
      {"checkpoint", checkpoint.name},
      {"state_sha256", checkpoint.state_sha256},
      {"model", JsonText(nn::ToJson(checkpoint.spec.model))},
      {"spec", JsonText(job::ToJson(checkpoint.spec))},
      {"metrics", JsonText(facts.metrics)}};
  if (!facts.license.empty()) metadata["license"] = facts.license;
  const Json& manifest = facts.training_set;
  const Json schema = manifest.value("schema", Json::object());
  // Inputs must be shifted by their origins and normalized before the weights can be used.
  for (const char* key : {"normalizer", "target_normalizer"}) {
    if (const auto found = manifest.find(key); found != manifest.end())
      metadata[key] = JsonText(*found);
  }
  for (const char* key : {"origins", "target_origins"}) {
    if (const auto found = schema.find(key); found != schema.end())
      metadata[key] = JsonText(*found);
  }
  metadata["features"] = JsonText(FeaturesJson(schema));
  if (const Json classes = ClassesJson(schema); !classes.empty())
    metadata["classes"] = JsonText(classes);
  return metadata;
}

}  // namespace dl::inference
