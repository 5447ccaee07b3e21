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
  DL_RETURN_IF_ERROR(mistakes.ToStatus());
  return job::IsStateful(spec) ? dataset::CheckStreamOrder(manifest, "the data") : absl::OkStatus();
}

}  // namespace

StatusOr<Json> EvaluateExamples(const job::JobSpec& spec,
                                std::shared_ptr<const dataset::Dataset> data, nn::Network& network,
                                const EvaluationOptions& options) {
  const dataset::Manifest& manifest = data->manifest();
  DL_RETURN_IF_ERROR(CheckFit(spec, manifest));
  const int64_t batch_size = std::min(spec.training.evaluation.batch_size, manifest.examples);
  const int64_t batches = std::max<int64_t>(1, options.max_examples / batch_size);
  const bool all = batches >= (manifest.examples + batch_size - 1) / batch_size;
  const int64_t examples = all ? manifest.examples : batches * batch_size;
  DL_ASSIGN_OR_RETURN(auto order, data->Order(dataset::OrderOfEvaluation(spec, batch_size)));
  DL_ASSIGN_OR_RETURN(
      std::unique_ptr<dataset::BatchReader> reader,
      dataset::BatchReader::Create(
          {.dataset = data, .order = order, .range = {0, examples}, .batch_size = batch_size}));
  network.BeginStreams();  // the network may have been used before
  EvaluationReport report(spec.model, manifest,
                          {.top = options.top, .max_matrix_classes = options.max_matrix_classes});
  dataset::BatchBuffer buffer;
  for (int64_t first = 0;; first += buffer.batch().examples) {
    DL_ASSIGN_OR_RETURN(const bool more, reader->Next(buffer));
    if (!more) break;
    DL_RETURN_IF_ERROR(report.Add(buffer.batch(), network));
    if (options.visit) DL_RETURN_IF_ERROR(options.visit(buffer.batch(), order, first));
  }
  return report.ToJson();
}

StatusOr<Json> EvaluateCheckpoint(const LoadedCheckpoint& checkpoint, const std::string& manifest,
                                  int64_t top, rpc::ClientService& client) {
  const job::JobSpec& spec = checkpoint.spec;
  DL_ASSIGN_OR_RETURN(dataset::Manifest parsed, dataset::ManifestFromJson(manifest, "manifest"));
  DL_RETURN_IF_ERROR(CheckFit(spec, parsed));  // before the model is compiled
  DL_ASSIGN_OR_RETURN(const std::string contract, ContractOf(checkpoint, client));
  const int64_t batch_size = std::min(spec.training.evaluation.batch_size, parsed.examples);
  DL_ASSIGN_OR_RETURN(CheckpointModel model, CompileCheckpoint(checkpoint, contract, batch_size));

  ClientBlocks blocks(client);
  DL_ASSIGN_OR_RETURN(std::shared_ptr<const dataset::Dataset> data,
                      dataset::Dataset::Create(
                          std::move(parsed), std::make_shared<dataset::DecodedBlockCache>(blocks)));
  DL_ASSIGN_OR_RETURN(Json json, EvaluateExamples(spec, data, *model.network, {.top = top}));
  if (nn::HasWeightPenalty(spec.model)) {
    const LoadedCheckpoint::Part& weights = checkpoint.model();
    json["weight_penalty"] =
        nn::WeightPenalty(spec.model, weights.layout->table, weights.values.span());
  }
  json["kernel_contract"] = model.kernel_contract;
  return json;
}

}  // namespace dl::inference
