#include "executor/unit_runner.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "averaging/layer_statistics.h"
#include "base/trace.h"
#include "dataset/job_plan.h"
#include "executor/fault.h"
#include "executor/layer_spans.h"
#include "job/announced_figures.h"
#include "job/measured_unit.h"
#include "nn/activation_histograms.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/losses/loss_config.h"
#include "nn/conf/schedule.h"

namespace dl::executor {
namespace {

StatusOr<dataset::UnitRead> ReadOf(const JobContext& job, const UnitId& unit) {
  const bool training = unit.kind == UnitKind::kTrain;
  dataset::UnitRead read;
  read.dataset = training ? job.train : job.test;
  if (read.dataset == nullptr)
    return InvalidArgument({.message = "the job has no test set", .where = ToString(unit)});
  if (training) {
    if (unit.round < 1 || unit.index < 0 || unit.index >= job.plan.workers) {
      return InvalidArgument(
          {.message = "the job has no unit with this round and index", .where = ToString(unit)});
    }
    const dataset::RoundPosition position = dataset::LocateRound(job.plan, unit.round - 1);
    read.range = dataset::PlanUnit(job.plan, position.index_in_epoch, unit.index).range;
    read.batch_size = job.plan.batch_size;
    read.augmentation = job.augmentation;
    DL_ASSIGN_OR_RETURN(read.order,
                        read.dataset->Order(dataset::OrderOfEpoch(job.spec, position.epoch)));
  } else {
    const dataset::EvaluationPlanInput plan =
        dataset::EvaluationPlan(job.spec, read.dataset->manifest().examples);
    if (unit.index < 0 || unit.index >= dataset::EvaluationUnits(plan)) {
      return InvalidArgument(
          {.message = "the job has no unit with this round and index", .where = ToString(unit)});
    }
    read.range = dataset::EvaluationUnit(plan, unit.index);
    read.batch_size = plan.batch_size;
    DL_ASSIGN_OR_RETURN(read.order,
                        read.dataset->Order(dataset::OrderOfEvaluation(job.spec, plan.batch_size)));
  }
  return read;
}

bool MeasuresActivations(const JobContext& job, const UnitId& unit) {
  return job::MeasuresActivations(job.spec.training.statistics.every_rounds, unit) &&
         job.spec.model.layers.size() <= averaging::kMaxMeasuredLayers;
}

// Returns the histograms as bytes; no bytes if the master would refuse them.
std::string BoundedText(const std::vector<LayerHistogram>& histograms) {
  std::string text = EncodeHistograms(histograms);
  if (std::ssize(text) > kMaxHistogramBytes) text.clear();
  return text;
}

static_assert(dataset::kNoLabel == nn::kNoLabel);
nn::Minibatch View(const dataset::Minibatch& batch) {
  return {.examples = batch.examples,
          .features = batch.features,
          .labels = batch.classes,
          .targets = batch.targets,
          .lengths = batch.lengths,
          .weights = batch.weights};
}

}  // namespace

void UnitRunner::Begin() { cancelled_ = false; }

void UnitRunner::Cancel() {
  cancelled_ = true;  // first: a reader that is opened later is not used
  MutexLock lock(mutex_);
  if (cancellable_ != nullptr) cancellable_->Cancel();
}

void UnitRunner::SetCancellable(dataset::PrefetchingReader* reader) {
  MutexLock lock(mutex_);
  cancellable_ = reader;
}

Status UnitRunner::Prepare(const std::shared_ptr<const JobContext>& job) {
  SetCancellable(nullptr);  // it may belong to a job that is dropped next
  DL_ASSIGN_OR_RETURN(engine_, engines_.Get(job));
  SetCancellable(engine_->reader.get());
  return absl::OkStatus();
}

StatusOr<const dataset::Minibatch*> UnitRunner::Next() {
  const Span span(spans::kBatch);
  const Instant began = Clock::Real().Now();
  reading_ = true;
  auto batch = engine_->reader->Next();
  reading_ = false;
  data_wait_ += Clock::Real().Now() - began;
  return batch;
}

Status UnitRunner::Load(const JobContext& job, const Base& base) {
  std::vector<SegmentSpan> state;
  for (const auto& [name, values] : base.parts) {
    const averaging::PartLayout* part = job.layout().Find(name);
    if (part == nullptr)
      return Internal({.message = "the job's state has no part of this name",
                       .where = absl::StrCat("part ", name)});
    state.push_back({part->offset, values->span()});
  }
  return engine_->network->Load(state);
}

StatusOr<UnitResult> UnitRunner::Run(const std::shared_ptr<const JobContext>& job,
                                     const UnitId& unit, const Base& base, const UnitId* next) {
  not_finite_ = false;
  steps_done_ = steps_total_ = 0;
  data_wait_ = {};
  auto result = WithComputationFault(Compute(job, unit, base, next));
  SetCancellable(nullptr);  // from here on another slot may take the engine's memory
  engine_ = nullptr;
  // An error may have left the engine in an undefined state, so the job's next unit gets a new
  // network and a new reader.
  if (!result.ok() && !absl::IsCancelled(result.status())) engines_.Drop(job.get());
  engines_.MarkUnused();
  if (result.ok()) result->data_wait = data_wait_;
  return result;
}

StatusOr<UnitResult> UnitRunner::Compute(const std::shared_ptr<const JobContext>& job,
                                         const UnitId& unit, const Base& base, const UnitId* next) {
  Span preparing(spans::kPrepare);
  DL_RETURN_IF_ERROR(Prepare(job));
  preparing.End();
  DL_ASSIGN_OR_RETURN(dataset::UnitRead read, ReadOf(*job, unit));
  steps_total_ = (read.range.examples + read.batch_size - 1) / read.batch_size;
  DL_RETURN_IF_ERROR(engine_->reader->Open(std::move(read)));
  if (next != nullptr && next->job == unit.job) {
    auto ahead = ReadOf(*job, *next);
    if (ahead.ok() && ahead->range.examples > 0) engine_->reader->Hint(*std::move(ahead));
  }
  Span loading(spans::kLoad);
  DL_RETURN_IF_ERROR(Load(*job, base));
  loading.End();
  return unit.kind == UnitKind::kTrain ? Train(*job, unit, base) : Evaluate(*job);
}

StatusOr<UnitResult> UnitRunner::Train(const JobContext& job, const UnitId& unit,
                                       const Base& base) {
  const dataset::RoundPosition position = dataset::LocateRound(job.plan, unit.round - 1);
  const nn::Schedule& schedule = nn::LearningRateOf(job.spec.model.updater);
  if (position.index_in_epoch == 0) engine_->network->BeginStreams();
  UnitResult result;
  std::optional<nn::ActivationHistograms> activations;
  if (MeasuresActivations(job, unit)) activations.emplace();
  for (int64_t step = 0;; ++step) {
    if (cancelled_)
      return Cancelled(
          {.message = "the unit was cancelled because its result is no longer needed"});
    DL_ASSIGN_OR_RETURN(const dataset::Minibatch* batch, Next());
    if (batch == nullptr) break;
    const int64_t t = position.first_step + step;
    const Span span(spans::kStep, SubjectOf(unit));
    const LayerSpans layers(*engine_->network, unit, step);
    DL_ASSIGN_OR_RETURN(nn::MetricSums sums,
                        engine_->network->TrainStep(
                            View(*batch),
                            {.epoch = position.epoch,
                             .round = unit.round,
                             .worker = unit.index,
                             .step = step,
                             .learning_rate = nn::RateAt(schedule, t, job.length, base.plateaus),
                             .update_count = dataset::UpdateCount(
                                 job.spec.training, base.earlier_updates, position, step)},
                            step == 0 && activations ? &*activations : nullptr));
    if (sums.non_finite() > 0) {
      not_finite_ = true;
      return InvalidArgument(
          {.message =
               absl::StrCat("the loss is not finite in step ", step + 1, " of round ", unit.round),
           .where = "loss",
           .remedy = "Lower the learning rate, clip gradients, or normalize the data"});
    }
    DL_RETURN_IF_ERROR(result.metrics.Merge(sums));
    ++result.steps;
    steps_done_ = result.steps;
  }
  if (activations) result.activations = BoundedText(activations->Of(job.spec.model));
  result.examples = engine_->reader->examples();
  result.example_hash_sum = engine_->reader->example_hash_sum();
  const Span span(spans::kStore);
  DL_ASSIGN_OR_RETURN(result.state, engine_->results.Take(job.layout().unit.size()));
  DL_RETURN_IF_ERROR(engine_->network->Store(result.state->span()));
  job.strategy->MakeContribution(base.parts.at(job.layout().model().name)->span(),
                                 result.state->span());
  return result;
}

StatusOr<UnitResult> UnitRunner::Evaluate(const JobContext& job) {
  UnitResult result;
  const job::AnnouncedFigures figures =
      job::AnnouncedFiguresOf(job.spec, job.test->manifest().examples);
  result.metrics.EnableConfusion(figures.classes);
  if (figures.numbers > 0) result.metrics.EnableNumbers(figures.numbers);
  if (figures.scores > 0) result.metrics.EnableScores(figures.scores);
  engine_->network->BeginStreams();
  for (;;) {
    if (cancelled_)
      return Cancelled(
          {.message = "the unit was cancelled because its result is no longer needed"});
    DL_ASSIGN_OR_RETURN(const dataset::Minibatch* batch, Next());
    if (batch == nullptr) break;
    const Span span(spans::kStep);
    DL_RETURN_IF_ERROR(engine_->network->EvaluateInto(View(*batch), result.metrics));
    ++result.steps;
    steps_done_ = result.steps;
  }
  result.examples = engine_->reader->examples();
  result.example_hash_sum = engine_->reader->example_hash_sum();
  return result;
}

}  // namespace dl::executor
