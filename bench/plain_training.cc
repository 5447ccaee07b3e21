#include "bench/plain_training.h"

#include "averaging/job_strategy.h"
#include "base/part_name.h"
#include "base/trace.h"
#include "dataset/job_plan.h"
#include "dataset/prefetching_reader.h"
#include "inference/client_blocks.h"
#include "nn/conf/schedule.h"
#include "nn/conf/segments.h"
#include "nn/network.h"

namespace dl::bench {
namespace {

// Leaves the barrier when a loop ends, with an error or without, so that other loops do not wait
// for it.
class Attendance {
 public:
  explicit Attendance(std::barrier<>* meeting) : meeting_(meeting) {}
  ~Attendance() {
    if (meeting_ != nullptr) meeting_->arrive_and_drop();
  }
  Attendance(const Attendance&) = delete;
  Attendance& operator=(const Attendance&) = delete;

  void Wait() {
    if (meeting_ != nullptr) meeting_->arrive_and_wait();
  }

 private:
  std::barrier<>* const meeting_;
};

}  // namespace

StatusOr<std::unique_ptr<TrainingData>> TrainingData::Open(const std::string& manifest,
                                                           rpc::ClientService& client) {
  std::unique_ptr<TrainingData> data(new TrainingData);
  data->blocks_ = std::make_unique<inference::ClientBlocks>(client);
  DL_ASSIGN_OR_RETURN(dataset::Manifest parsed, dataset::ManifestFromJson(manifest, "manifest"));
  DL_ASSIGN_OR_RETURN(
      data->dataset_,
      dataset::Dataset::Create(std::move(parsed),
                               std::make_shared<dataset::DecodedBlockCache>(*data->blocks_)));
  return data;
}

StatusOr<PlainLoopResult> RunPlainLoop(const job::JobSpec& spec, const TrainingData& data,
                                       PlainLoopPart part) {
  Attendance attendance(part.meeting);
  const int64_t epochs = spec.training.epochs;
  dataset::PlanInput plan =
      dataset::TrainingPlan(spec.training, data.dataset()->manifest().examples);
  plan.workers = part.workers;
  const int64_t total_steps = epochs * dataset::WorkerSteps(plan, 0);
  const auto read_of = [&](int64_t epoch) -> StatusOr<dataset::UnitRead> {
    dataset::UnitRead read{.dataset = data.dataset(),
                           .range = dataset::WorkerRange(plan, part.worker),
                           .batch_size = plan.batch_size};
    DL_ASSIGN_OR_RETURN(read.order, data.dataset()->Order(dataset::OrderOfEpoch(spec, epoch)));
    return read;
  };
  DL_ASSIGN_OR_RETURN(
      std::unique_ptr<nn::Network> network,
      nn::Network::Create(spec.model,
                          {.max_batch = plan.batch_size,
                           .micro_batch = spec.training.micro_batch_size,
                           .threads = static_cast<int>(spec.training.threads_per_worker),
                           .checkpoint_activations = spec.training.checkpoint_activations,
                           .seed = spec.seed}));
  std::vector<float> state = nn::InitialState(spec.model, spec.seed);
  DL_RETURN_IF_ERROR(network->Load(state));
  DL_ASSIGN_OR_RETURN(std::unique_ptr<dataset::PrefetchingReader> reader,
                      dataset::PrefetchingReader::Create(spec.training.prefetch_batches));
  DL_ASSIGN_OR_RETURN(dataset::UnitRead read, read_of(0));
  PlainLoopResult result;
  int64_t t = 0;
  for (int64_t epoch = 0; epoch < epochs; ++epoch) {
    DL_RETURN_IF_ERROR(reader->Open(read));
    if (epoch + 1 < epochs) {
      DL_ASSIGN_OR_RETURN(read, read_of(epoch + 1));
      reader->Hint(read);
    }
    for (int64_t step = 0;; ++step, ++t) {
      DL_ASSIGN_OR_RETURN(const dataset::Minibatch* batch, reader->Next());
      if (batch == nullptr) break;
      if (part.meeting != nullptr && step > 0 && step % part.meet_every == 0) attendance.Wait();
      const Span span(spans::kStep);
      DL_RETURN_IF_ERROR(
          network
              ->TrainStep({.examples = batch->examples,
                           .features = batch->features,
                           .labels = batch->classes},
                          {.epoch = epoch,
                           .worker = part.worker,
                           .step = step,
                           .learning_rate = nn::RateAt(
                               nn::LearningRateOf(spec.model.updater), t,
                               {.steps = total_steps, .epoch_steps = total_steps / epochs}),
                           .update_count = t + 1})
              .status());
    }
    result.examples += reader->examples();
    attendance.Wait();
  }
  DL_RETURN_IF_ERROR(network->Store(state));
  DL_ASSIGN_OR_RETURN(const auto strategy, averaging::MakeStrategy(spec));
  std::map<std::string, std::string> names;
  for (const averaging::PartLayout& part : strategy->layout().parts)
    names.emplace(part.KeyOf(0), PartSha256(part.table, part.In(state)));
  result.state_sha256 = StateSha256(names);
  return result;
}

}  // namespace dl::bench
