#include "launch/evaluate.h"

#include <algorithm>
#include <memory>

#include "dataset/batch_reader.h"
#include "dataset/block_cache.h"
#include "dataset/dataset.h"
#include "job/validate.h"
#include "launch/client_blocks.h"
#include "launch/evaluation_report.h"
#include "launch/kernel_contracts.h"
#include "launch/process_setup.h"
#include "nn/conf/layers/output.h"
#include "nn/network.h"

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

}  // namespace

StatusOr<Json> EvaluateCheckpoint(const LoadedCheckpoint& checkpoint, const std::string& manifest,
                                  rpc::ClientService& client) {
  const job::JobSpec& spec = checkpoint.spec;
  DL_ASSIGN_OR_RETURN(dataset::Manifest parsed, dataset::ManifestFromJson(manifest, "manifest"));
  DL_RETURN_IF_ERROR(CheckFit(spec, parsed));
  DL_ASSIGN_OR_RETURN(std::string contract, ContractOf(checkpoint, client));
  DL_ASSIGN_OR_RETURN(const std::string isa, IsaOfContract(contract));
  std::string offered;
  DL_RETURN_IF_ERROR(FixIsa(isa, offered).status());
  if (contract.empty()) contract = offered;
  const int64_t batch_size = std::min(spec.training.evaluation.batch_size, parsed.examples);
  DL_ASSIGN_OR_RETURN(
      std::unique_ptr<nn::Network> network,
      nn::Network::Create(spec.model,
                          {.max_batch = 0,
                           .max_evaluation_batch = batch_size,
                           .threads = static_cast<int>(spec.training.threads_per_worker)}));
  const Stretch model{0, checkpoint.model().values.span()};  // a prediction reads nothing else
  DL_RETURN_IF_ERROR(network->Load(std::span(&model, 1)));

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
  EvaluationReport report(spec.model.output().loss, data->manifest().schema);
  dataset::BatchBuffer buffer;
  for (;;) {
    DL_ASSIGN_OR_RETURN(const bool more, reader->Next(buffer));
    if (!more) break;
    const dataset::Minibatch& batch = buffer.batch();
    DL_RETURN_IF_ERROR(network->EvaluateInto({.examples = batch.examples,
                                              .features = batch.features,
                                              .labels = batch.classes,
                                              .targets = batch.targets},
                                             report.sums()));
    report.Add(batch, network->LastPredictions());
  }
  Json json = report.ToJson();
  json["kernel_contract"] = contract;
  return json;
}

}  // namespace dl::launch
