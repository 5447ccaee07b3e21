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
                                 " values, the checkpoint's has ",
                                 index < 0 ? 0 : manifest.parts[index].bytes / 4),
         .where = manifest.Name(),
         .remedy = "Use a checkpoint of the same model and updater"});
  }
  DL_ASSIGN_OR_RETURN(FloatBuffer buffer, FloatBuffer::Create(floats));
  DL_RETURN_IF_ERROR(store.Read(manifest, name, std::as_writable_bytes(buffer.span())));
  return std::make_shared<const FloatBuffer>(std::move(buffer));
}

// A state whose workers, if they have parts of their own, all begin alike.
StatusOr<RoundState> SplitState(const JobMaterial& material, std::span<const float> unit) {
  const averaging::UnitParts parts = averaging::SplitUnitState(material.layout, unit);
  RoundState state;
  DL_ASSIGN_OR_RETURN(state.global, CopyVector(parts.global));
  if (material.layout.worker.size() > 0) {
    DL_ASSIGN_OR_RETURN(SharedVector worker, CopyVector(parts.worker));
    state.workers.assign(material.workers, worker);
  }
  return state;
}

}  // namespace

std::string WorkerPart(size_t worker) { return absl::StrCat("worker-", worker); }

StatusOr<RoundState> InitialState(const JobMaterial& material) {
  return SplitState(material, material.initial_state());
}

StatusOr<RoundState> StateOfCheckpoint(storage::CheckpointStore& store, const std::string& text,
                                       const JobMaterial& material) {
  DL_ASSIGN_OR_RETURN(const storage::CheckpointManifest manifest, ParseManifest(text));
  const int64_t workers = material.layout.worker.size() > 0 ? material.workers : 0;
  if (static_cast<int64_t>(manifest.parts.size()) != 1 + workers) {
    return InvalidArgument(
        {.message = absl::StrCat("the checkpoint has updater state of ", manifest.parts.size() - 1,
                                 " workers, the job keeps that of ", workers),
         .where = manifest.Name(),
         .remedy = "Use as many workers as the checkpoint's job, or --init-from for its weights"});
  }
  RoundState state;
  DL_ASSIGN_OR_RETURN(state.global,
                      ReadPart(store, manifest, "global", material.layout.global.size()));
  for (int64_t m = 0; m < workers; ++m) {
    DL_ASSIGN_OR_RETURN(SharedVector worker,
                        ReadPart(store, manifest, WorkerPart(m), material.layout.worker.size()));
    state.workers.push_back(std::move(worker));
  }
  return state;
}

StatusOr<RoundState> WeightsOfCheckpoint(
    storage::CheckpointStore& store, const std::string& text, const JobMaterial& material,
    const std::function<StatusOr<JobMaterial>(const std::string& job)>& material_of) {
  DL_ASSIGN_OR_RETURN(const storage::CheckpointManifest manifest, ParseManifest(text));
  DL_ASSIGN_OR_RETURN(const JobMaterial source, material_of(manifest.id.job));
  // Parameters and moments come first in every layout.
  constexpr SegmentKind kWeights[] = {SegmentKind::kParameter, SegmentKind::kMean,
                                      SegmentKind::kVariance};
  const SegmentTable wanted = material.layout.unit.Subset(kWeights);
  if (!(wanted == source.layout.unit.Subset(kWeights))) {
    return InvalidArgument(
        {.message = "the checkpoint is of another model",
         .where = manifest.Name(),
         .remedy = "Use a checkpoint of a model with the same layers, names and sizes"});
  }
  DL_ASSIGN_OR_RETURN(SharedVector weights,
                      ReadPart(store, manifest, "global", source.layout.global.size()));
  std::vector<float> unit(material.layout.unit.size(), 0.0f);
  std::copy_n(weights->data(), wanted.size(), unit.begin());
  return SplitState(material, unit);
}

}  // namespace dl::master
