#include "bench/plain_loop.h"

#include "dataset/job_plan.h"
#include "dataset/prefetching_reader.h"
#include "launch/client_blocks.h"
#include "nn/conf/schedule.h"
#include "nn/conf/segments.h"
#include "nn/network.h"

namespace dl::bench {
StatusOr<std::unique_ptr<TrainingData>> TrainingData::Open(const std::string& manifest,
                                                           rpc::ClientService& client) {
  std::unique_ptr<TrainingData> data(new TrainingData);
  data->blocks_ = std::make_unique<launch::ClientBlocks>(client);
  DL_ASSIGN_OR_RETURN(dataset::Manifest parsed, dataset::ManifestFromJson(manifest, "manifest"));
  DL_ASSIGN_OR_RETURN(
      data->dataset_,
      dataset::Dataset::Create(std::move(parsed),
                               std::make_shared<dataset::DecodedBlockCache>(*data->blocks_)));
  return data;
}

StatusOr<PlainLoopResult> RunPlainLoop(const job::JobSpec& spec, const TrainingData& data,
                                       PlainLoopPart part) {
  dataset::PlanInput plan =
      dataset::TrainingPlan(spec.training, data.dataset()->manifest().examples);
  plan.workers = part.workers;
  const int64_t total_steps = dataset::WorkerSteps(plan, 0);
  dataset::UnitRead read{.dataset = data.dataset(),
                         .range = dataset::WorkerRange(plan, part.worker),
                         .batch_size = plan.batch_size};
  DL_ASSIGN_OR_RETURN(read.order, data.dataset()->Order(dataset::OrderOfEpoch(spec, 0)));
  DL_ASSIGN_OR_RETURN(
      std::unique_ptr<nn::Network> network,
      nn::Network::Create(spec.model,
                          {.max_batch = plan.batch_size,
                           .threads = static_cast<int>(spec.training.threads_per_worker),
                           .seed = spec.seed}));
  std::vector<float> state = nn::InitialState(spec.model, spec.seed);
  DL_RETURN_IF_ERROR(network->Load(state));
  DL_ASSIGN_OR_RETURN(std::unique_ptr<dataset::PrefetchingReader> reader,
                      dataset::PrefetchingReader::Create(spec.training.prefetch_batches));
  DL_RETURN_IF_ERROR(reader->Open(std::move(read)));
  for (int64_t t = 0;; ++t) {
    DL_ASSIGN_OR_RETURN(const dataset::Batch* batch, reader->Next());
    if (batch == nullptr) break;
    DL_RETURN_IF_ERROR(network
                           ->TrainStep({.examples = batch->examples,
                                        .features = batch->features,
                                        .labels = batch->classes},
                                       {.worker = part.worker,
                                        .step = t,
                                        .learning_rate = nn::RateAt(
                                            spec.model.updater.learning_rate, t, total_steps),
                                        .update_count = t + 1})
                           .status());
  }
  DL_RETURN_IF_ERROR(network->Store(state));
  return PlainLoopResult{.examples = reader->examples(),
                         .state_sha256 = StateSha256(network->table(), state)};
}

}  // namespace dl::bench
