#include "inference/evaluate.h"

#include <algorithm>
#include <memory>

#include "dataset/batch_reader.h"
#include "dataset/dataset.h"
#include "dataset/decoded_block_cache.h"
#include "dataset/job_plan.h"
#include "inference/checkpoint_model.h"
#include "inference/client_blocks.h"
#include "inference/evaluation_report.h"
#include "job/validate.h"
#include "nn/conf/weight_penalty.h"

namespace dl::inference {
namespace {

Status CheckFit(const job::JobSpec& spec, const dataset::Manifest& manifest) {
  nn::Mistakes mistakes;
  job::CheckModelAgainstData(spec.model, dataset::SummaryOf(manifest.schema, manifest.examples),
                             "the data", mistakes);
  return mistakes.ToStatus();
}

}  // namespace

StatusOr<Json> EvaluateCheckpoint(const LoadedCheckpoint& checkpoint, const std::string& manifest,
                                  int64_t top, rpc::ClientService& client) {
  const job::JobSpec& spec = checkpoint.spec;
  DL_ASSIGN_OR_RETURN(dataset::Manifest parsed, dataset::ManifestFromJson(manifest, "manifest"));
  DL_RETURN_IF_ERROR(CheckFit(spec, parsed));
  if (job::IsStateful(spec)) DL_RETURN_IF_ERROR(dataset::CheckStreamOrder(parsed, "the data"));
  DL_ASSIGN_OR_RETURN(const std::string contract, ContractOf(checkpoint, client));
  const int64_t batch_size = std::min(spec.training.evaluation.batch_size, parsed.examples);
  DL_ASSIGN_OR_RETURN(CheckpointModel model, CompileCheckpoint(checkpoint, contract, batch_size));

  ClientBlocks blocks(client);
  DL_ASSIGN_OR_RETURN(std::shared_ptr<const dataset::Dataset> data,
                      dataset::Dataset::Create(
                          std::move(parsed), std::make_shared<dataset::DecodedBlockCache>(blocks)));
  DL_ASSIGN_OR_RETURN(auto order, data->Order(dataset::OrderOfEvaluation(spec, batch_size)));
  DL_ASSIGN_OR_RETURN(std::unique_ptr<dataset::BatchReader> reader,
                      dataset::BatchReader::Create({.dataset = data,
                                                    .order = order,
                                                    .range = {0, data->manifest().examples},
                                                    .batch_size = batch_size}));
  EvaluationReport report(spec.model, data->manifest(), top);
  dataset::BatchBuffer buffer;
  for (;;) {
    DL_ASSIGN_OR_RETURN(const bool more, reader->Next(buffer));
    if (!more) break;
    DL_RETURN_IF_ERROR(report.Add(buffer.batch(), *model.network));
  }
  Json json = report.ToJson();
  if (nn::HasWeightPenalty(spec.model)) {
    const LoadedCheckpoint::Part& weights = checkpoint.model();
    json["weight_penalty"] =
        nn::WeightPenalty(spec.model, weights.layout->table, weights.values.span());
  }
  json["kernel_contract"] = model.kernel_contract;
  return json;
}

}  // namespace dl::inference
