#include "master/merge/state_source.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace dl::master {
namespace {

StatusOr<storage::CheckpointManifest> ParseManifest(const std::string& text) {
  DL_ASSIGN_OR_RETURN(Json json, ParseJson(text, "checkpoint manifest"));
  return storage::CheckpointManifestFromJson(json, "manifest");
}

StatusOr<SharedVector> ReadPart(storage::CheckpointStore& store,
                                const storage::CheckpointManifest& manifest,
                                const std::string& name, int64_t floats) {
  const int index = manifest.PartIndex(name);
  if (index < 0 || manifest.parts[index].bytes != floats * static_cast<int64_t>(sizeof(float))) {
    return InvalidArgument(
        {.message = absl::StrCat("the model's part \"", name, "\" has ", floats,
                                 " values, but the checkpoint's has ",
                                 index < 0 ? 0 : manifest.parts[index].bytes / 4),
         .where = manifest.Name(),
         .remedy = "Use a checkpoint of the same model and updater"});
  }
  DL_ASSIGN_OR_RETURN(FloatBuffer buffer, FloatBuffer::Create(floats));
  DL_RETURN_IF_ERROR(store.Read(manifest, name, std::as_writable_bytes(buffer.span())));
  return std::make_shared<const FloatBuffer>(std::move(buffer));
}

// Returns a state in which all workers have equal parts and the strategy's parts are zero, except
// an average of the model, which begins with the model.
StatusOr<RoundState> StateFrom(const JobMaterial& material, std::span<const float> unit) {
  RoundState state;
  std::map<const averaging::PartLayout*, SharedVector> vectors;
  for (const auto& [key, part] : KeysOf(material)) {
    SharedVector& vector = vectors[part];
    if (part == &material.layout().evaluated()) {
      DL_ASSIGN_OR_RETURN(vector, CopyVector(material.layout().model().In(unit)));
    } else if (vector == nullptr) {
      DL_ASSIGN_OR_RETURN(vector, part->scope == averaging::PartScope::kStrategy
                                      ? CopyVector(std::vector<float>(part->table.size()))
                                      : CopyVector(part->In(unit)));
    }
    state.parts.emplace(key, vector);
  }
  return state;
}

}  // namespace

StatusOr<RoundState> InitialState(const JobMaterial& material) {
  DL_ASSIGN_OR_RETURN(const std::vector<float> unit, material.initial_state());
  return StateFrom(material, unit);
}

StatusOr<RoundState> StateOfCheckpoint(storage::CheckpointStore& store, const std::string& text,
                                       const JobMaterial& material) {
  DL_ASSIGN_OR_RETURN(const storage::CheckpointManifest manifest, ParseManifest(text));
  const auto keys = KeysOf(material);
  if (manifest.parts.size() != keys.size()) {
    return InvalidArgument(
        {.message = absl::StrCat("the checkpoint has ", manifest.parts.size(),
                                 " parts, but a state of the job has ", keys.size()),
         .where = manifest.Name(),
         .remedy = "Use the workers, updater, strategy and ema_decay of the checkpoint's job, or "
                   "only its weights with --init-from"});
  }
  RoundState state;
  for (const auto& [key, part] : keys) {
    DL_ASSIGN_OR_RETURN(state.parts[key], ReadPart(store, manifest, key, part->table.size()));
  }
  return state;
}

StatusOr<RoundState> WeightsOfCheckpoint(
    storage::CheckpointStore& store, const std::string& text, const JobMaterial& material,
    const std::function<StatusOr<JobMaterial>(const std::string& job)>& material_of) {
  DL_ASSIGN_OR_RETURN(const storage::CheckpointManifest manifest, ParseManifest(text));
  DL_ASSIGN_OR_RETURN(const JobMaterial source, material_of(manifest.id.job));
  const averaging::PartLayout& model = source.layout().evaluated();
  if (!(model.table == material.layout().model().table)) {
    return InvalidArgument(
        {.message = "the checkpoint belongs to another model",
         .where = manifest.Name(),
         .remedy = "Use a checkpoint of a model with the same layers, names and sizes"});
  }
  DL_ASSIGN_OR_RETURN(const SharedVector weights,
                      ReadPart(store, manifest, model.name, model.table.size()));
  std::vector<float> unit(material.layout().unit.size(), 0.0f);
  std::copy_n(weights->data(), model.table.size(), unit.begin());
  return StateFrom(material, unit);
}

}  // namespace dl::master
