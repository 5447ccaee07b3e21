#include "inference/serving/loaded_models.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "inference/checkpoint_model.h"
#include "nn/conf/network_memory.h"
#include "nn/conf/weight_penalty.h"
#include "rpc/messages.h"

namespace dl::inference {
namespace {

// Returns an upper bound of the memory of a model, also while its weights are copied.
int64_t BytesOf(const LoadedCheckpoint& checkpoint, int64_t batch) {
  const nn::NetworkMemory network = nn::NetworkMemoryAtMost(
      checkpoint.spec.model, {.max_batch = 0,
                              .max_evaluation_batch = batch,
                              .threads = checkpoint.spec.training.threads_per_worker,
                              .precision = checkpoint.spec.training.precision});
  const int64_t weights = checkpoint.model().layout->table.size() * int64_t{sizeof(float)};
  return network.Total() + weights;
}

StatusOr<dataset::Manifest> TrainingManifest(const std::string& job, rpc::ClientService& client) {
  DL_ASSIGN_OR_RETURN(
      const rpc::QueryReply reply,
      client.Query({.what = rpc::QueryKind::kTrainManifest, .job = job}, limits::kControlDeadline));
  DL_ASSIGN_OR_RETURN(dataset::Manifest manifest,
                      dataset::ManifestFromJson(reply.json, "training manifest"));
  manifest.blocks = {};
  return manifest;
}

}  // namespace

int64_t LoadedModels::bytes() const {
  int64_t bytes = 0;
  for (const LoadedModel& model : models_) bytes += model.bytes;
  return bytes;
}

StatusOr<LoadedModel> LoadedModels::Load(const LoadedCheckpoint& described, int64_t batch,
                                         rpc::ClientService& client) {
  const std::string job = described.name.substr(0, described.name.rfind('@'));
  LoadedModel model{.checkpoint = described.name,
                    .state_sha256 = described.state_sha256,
                    .spec = described.spec,
                    .batch = batch,
                    .bytes = BytesOf(described, batch)};
  if (model.bytes > max_bytes_) {
    return ResourceExhausted(
        {.message =
             absl::StrCat("the model needs up to ", model.bytes >> 20, " MiB, more than the ",
                          max_bytes_ >> 20, " MiB for models of predictions by HTTP"),
         .where = described.name,
         .remedy = absl::StrCat("Use dl-submit predict ", described.name, " --data FILE")});
  }
  while (bytes() + model.bytes > max_bytes_) models_.pop_back();
  DL_ASSIGN_OR_RETURN(model.training, TrainingManifest(job, client));
  DL_ASSIGN_OR_RETURN(const std::string contract, ContractOf(described, client));
  DL_ASSIGN_OR_RETURN(const LoadedCheckpoint checkpoint,
                      LoadCheckpoint(described.name, CheckpointContent::kModel, client));
  auto compiled = CompileCheckpoint(checkpoint, contract, batch);
  if (absl::IsFailedPrecondition(compiled.status())) {
    return WithRemedy(compiled.status(),
                      absl::StrCat("Use dl-submit predict ", described.name, " --data FILE"));
  }
  DL_RETURN_IF_ERROR(compiled.status());
  if (nn::HasWeightPenalty(model.spec.model)) {
    const LoadedCheckpoint::Part& weights = checkpoint.model();
    model.weight_penalty =
        nn::WeightPenalty(model.spec.model, weights.layout->table, weights.values.span());
  }
  model.kernel_contract = std::move(compiled->kernel_contract);
  model.network = std::move(compiled->network);
  return model;
}

StatusOr<LoadedModel*> LoadedModels::Get(const std::string& name, int64_t rows,
                                         rpc::ClientService& client) {
  DL_ASSIGN_OR_RETURN(const LoadedCheckpoint described,
                      DescribeCheckpoint(name, CheckpointContent::kModel, client));
  const int64_t batch = std::min(described.spec.training.evaluation.batch_size, rows);
  const auto found = std::ranges::find_if(models_, [&](const LoadedModel& model) {
    return model.checkpoint == described.name && model.state_sha256 == described.state_sha256;
  });
  if (found != models_.end() && found->batch >= batch) {
    models_.splice(models_.begin(), models_, found);
    return &models_.front();
  }
  if (found != models_.end()) models_.erase(found);
  DL_ASSIGN_OR_RETURN(LoadedModel model, Load(described, batch, client));
  models_.push_front(std::move(model));
  return &models_.front();
}

}  // namespace dl::inference
