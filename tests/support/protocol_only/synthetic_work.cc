#include "tests/support/protocol_only/synthetic_work.h"

#include "base/checksum.h"
#include "base/json.h"
#include "dataset/batch_reader.h"
#include "dataset/job_plan.h"
#include "job/job_builder.h"
#include "job/parameter_averaging.h"
#include "nn/conf/sequential.h"
#include "nn/metrics/metric_sums.h"
#include "rpc/messages.h"
#include "tests/support/generated_data.h"

namespace dl::test {

StatusOr<job::JobSpec> SyntheticJob(const std::string& prefix, const SyntheticJobOptions& options) {
  const ImageSet images = WriteImages(
      prefix, {.examples = options.workers * options.rounds, .extent = 4, .classes = 4});
  ParameterAveraging training;
  training.Workers(options.workers)
      .BatchSizePerWorker(1)
      .AveragingFrequency(1)
      .Epochs(1)
      .VerifyFraction(0);
  return job::Job("made-up")
      .Model(nn::Sequential("mlp")
                 .Seed(3)
                 .Updater(nn::Sgd(0.1))
                 .Input(nn::Image(1, 4, 4))
                 .Layer(nn::Dense(16).Activation(nn::Tanh()))
                 .Layer(nn::Output(4).Loss(nn::SoftmaxCrossEntropy())))
      .Training(training)
      .Train(data::Idx(images.features, images.labels))
      .Build();
}

StatusOr<std::shared_ptr<SyntheticWork>> SyntheticWork::Create(const std::string& job,
                                                               const rpc::FetchJobReply& documents,
                                                               dataset::BlockSource& blocks) {
  DL_ASSIGN_OR_RETURN(
      auto context, executor::MakeJobContext(job, documents,
                                             std::make_shared<dataset::DecodedBlockCache>(blocks)));
  std::shared_ptr<SyntheticWork> work(new SyntheticWork(std::move(context)));
  for (int64_t epoch = 0; epoch < work->job_->spec.training.epochs; ++epoch)
    DL_RETURN_IF_ERROR(work->ReadEpoch(epoch));
  return work;
}

Status SyntheticWork::ReadEpoch(int64_t epoch) {
  const int64_t examples = job_->train->manifest().examples;
  DL_ASSIGN_OR_RETURN(auto order, job_->train->Order(dataset::OrderOfEpoch(job_->spec, epoch)));
  DL_ASSIGN_OR_RETURN(auto reader, dataset::BatchReader::Create({.dataset = job_->train,
                                                                 .order = std::move(order),
                                                                 .range = {0, examples},
                                                                 .batch_size = 1}));
  std::vector<uint64_t>& sums = hash_sums_.emplace_back(1, 0);
  dataset::BatchBuffer buffer;
  for (int64_t i = 0; i < examples; ++i) {
    DL_RETURN_IF_ERROR(reader->Next(buffer).status());
    sums.push_back(sums.back() + buffer.batch().example_hash_sum);
  }
  return absl::OkStatus();
}

StatusOr<SyntheticResult> SyntheticWork::ResultOf(const rpc::Lease& lease,
                                                  std::span<const float> base) const {
  const UnitId& unit = lease.unit;
  if (unit.kind != UnitKind::kTrain)
    return InvalidArgument({.message = "only training is made up", .where = ToString(unit)});
  const dataset::RoundPosition position = dataset::LocateRound(job_->plan, unit.round - 1);
  const dataset::UnitPlan plan = dataset::PlanUnit(job_->plan, position.index_in_epoch, unit.index);
  const std::vector<uint64_t>& sums = hash_sums_[position.epoch];
  SyntheticResult result{.state = {base.begin(), base.end()}};
  result.state.resize(job_->layout().unit.size());  // zeros for the updater state
  // Adds a small difference that survives rounding.
  const size_t place = static_cast<size_t>(unit.index) % result.state.size();
  result.state[place] += 0.25f / static_cast<float>(unit.round);
  nn::MetricSums metrics;
  for (int64_t i = 0; i < plan.range.examples; ++i) {
    metrics.AddLoss(0.5);
    metrics.AddPrediction(0, 0);
  }
  rpc::AnnounceRequest& announcement = result.announcement;
  announcement.unit = unit;
  announcement.base_sha256 = lease.base_sha256;
  announcement.spec_sha256 = lease.spec_sha256;
  announcement.ticket = lease.ticket;
  announcement.hash = Xxh3(std::as_bytes(std::span<const float>(result.state)));
  announcement.bytes = static_cast<int64_t>(result.state.size() * sizeof(float));
  announcement.examples = plan.range.examples;
  announcement.steps = plan.steps;
  announcement.example_hash_sum =
      sums[plan.range.first + plan.range.examples] - sums[plan.range.first];
  announcement.metrics = metrics.ToJson().dump();
  DL_ASSIGN_OR_RETURN(announcement.magnitudes, job_->strategy->Measure(result.state));
  return result;
}

}  // namespace dl::test
