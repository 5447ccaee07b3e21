#include "launch/evaluate.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "base/limits.h"
#include "dataset/batch_reader.h"
#include "dataset/block_cache.h"
#include "dataset/dataset.h"
#include "job/validate.h"
#include "launch/checkpoint_model.h"
#include "launch/client_blocks.h"

namespace dl::launch {
namespace {

Status CheckFit(const job::JobSpec& spec, const dataset::Manifest& manifest) {
  nn::Mistakes mistakes;
  job::CheckModelAgainstData(spec.model,
                             {.examples = manifest.examples,
                              .feature_shape = manifest.schema.feature_shape,
                              .classes = manifest.schema.classes,
                              .targets = manifest.schema.target_size,
                              .labels_per_example = manifest.schema.labels_per_example},
                             "the data", mistakes);
  return mistakes.ToStatus();
}

Json Report(const nn::MetricSums& sums, const std::vector<std::string>& names) {
  Json json = {{"examples", sums.examples()}, {"loss", sums.loss()}};
  if (sums.has_accuracy()) json["accuracy"] = sums.accuracy();
  const int64_t n = sums.classes();
  if (n == 0) return json;
  Json matrix = Json::array(), classes = Json::array();
  for (int64_t c = 0; c < n; ++c) {
    std::vector<int64_t> row(n);
    for (int64_t p = 0; p < n; ++p) row[p] = sums.Confused(c, p);
    const int64_t examples = std::accumulate(row.begin(), row.end(), int64_t{0});
    matrix.push_back(std::move(row));
    Json entry = {{"class", c},
                  {"examples", examples},
                  {"precision", sums.Precision(c)},
                  {"recall", sums.Recall(c)}};
    if (c < static_cast<int64_t>(names.size())) entry["name"] = names[c];
    classes.push_back(std::move(entry));
  }
  json["confusion"] = std::move(matrix);
  json["classes"] = std::move(classes);
  return json;
}

}  // namespace

StatusOr<Json> EvaluateCheckpoint(const LoadedCheckpoint& checkpoint, const std::string& manifest,
                                  rpc::ClientService& client) {
  const job::JobSpec& spec = checkpoint.spec;
  DL_ASSIGN_OR_RETURN(dataset::Manifest parsed, dataset::ManifestFromJson(manifest, "manifest"));
  DL_RETURN_IF_ERROR(CheckFit(spec, parsed));
  DL_ASSIGN_OR_RETURN(const std::string contract, ContractOf(checkpoint, client));
  const int64_t batch_size = std::min(spec.training.evaluation.batch_size, parsed.examples);
  DL_ASSIGN_OR_RETURN(CheckpointModel model, CompileCheckpoint(checkpoint, contract, batch_size));

  ClientBlocks blocks(client);
  DL_ASSIGN_OR_RETURN(std::shared_ptr<const dataset::Dataset> data,
                      dataset::Dataset::Create(
                          std::move(parsed), std::make_shared<dataset::DecodedBlockCache>(blocks)));
  DL_ASSIGN_OR_RETURN(auto order, data->Order({.shuffle = dataset::Shuffle::kNone}));
  DL_ASSIGN_OR_RETURN(std::unique_ptr<dataset::BatchReader> reader,
                      dataset::BatchReader::Create({.dataset = data,
                                                    .order = order,
                                                    .range = {0, data->manifest().examples},
                                                    .batch_size = batch_size}));
  const int64_t classes = data->manifest().schema.classes;
  nn::MetricSums sums(classes <= limits::kMaxConfusionClasses ? classes : 0);
  dataset::BatchBuffer buffer;
  for (;;) {
    DL_ASSIGN_OR_RETURN(const bool more, reader->Next(buffer));
    if (!more) break;
    const dataset::Minibatch& batch = buffer.batch();
    DL_RETURN_IF_ERROR(model.network->EvaluateInto({.examples = batch.examples,
                                                    .features = batch.features,
                                                    .labels = batch.classes,
                                                    .targets = batch.targets},
                                                   sums));
  }
  Json report = Report(sums, data->manifest().schema.class_names);
  report["kernel_contract"] = model.kernel_contract;
  return report;
}

}  // namespace dl::launch
