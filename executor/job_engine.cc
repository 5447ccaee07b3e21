#include "executor/job_engine.h"

#include <algorithm>
#include <iterator>

#include "dataset/job_plan.h"

namespace dl::executor {
namespace {

job::DataShape ShapeOf(const std::shared_ptr<const dataset::Dataset>& dataset) {
  return dataset == nullptr ? job::DataShape() : dataset::DataShapeOf(dataset->manifest());
}

StatusOr<JobEngine> MakeEngine(const std::shared_ptr<const JobContext>& job) {
  const job::TrainingConfig& training = job->spec.training;
  const job::LargestBatches largest =
      job::LargestBatchesOf(training, ShapeOf(job->train), ShapeOf(job->test));
  JobEngine engine{.job = job};
  DL_ASSIGN_OR_RETURN(
      engine.network,
      nn::Network::Create(job->spec.model,
                          {.max_batch = largest.training,
                           .max_evaluation_batch = largest.evaluation,
                           .micro_batch = training.micro_batch_size,
                           .threads = static_cast<int>(training.threads_per_worker),
                           .precision = training.precision,
                           .kernels = training.kernels,
                           .checkpoint_activations = training.checkpoint_activations,
                           .seed = job->spec.seed,
                           .carried_rows = training.batch_size}));
  if (!(engine.network->table() == job->layout().unit)) {
    return Internal({.message = "the segments of the network differ from the segments of the model",
                     .where = job->id});
  }
  DL_ASSIGN_OR_RETURN(engine.reader, dataset::PrefetchingReader::Create(training.prefetch_batches));
  engine.bytes = EngineBytes(*job);
  return engine;
}

}  // namespace

int64_t EngineBytes(const JobContext& job) {
  return job::UnitMemoryOf(job.spec, ShapeOf(job.train), ShapeOf(job.test)).Total();
}

JobEngines::JobEngines(const Bounds& bounds) : bounds_(bounds) {
  if (bounds_.shared != nullptr) bounds_.shared->Join(this);
}

JobEngines::~JobEngines() {
  if (bounds_.shared != nullptr) bounds_.shared->Leave(this);
}

StatusOr<JobEngine*> JobEngines::Get(const std::shared_ptr<const JobContext>& job) {
  {
    MutexLock lock(mutex_);
    const auto found = std::find_if(engines_.begin(), engines_.end(),
                                    [&](const JobEngine& engine) { return engine.job == job; });
    in_use_ = found != engines_.end();
    if (in_use_) {
      engines_.splice(engines_.begin(), engines_, found);
      return &engines_.front();
    }
  }
  // Release memory first: old and new engine together may not fit.
  if (bounds_.shared != nullptr) bounds_.shared->MakeRoom(EngineBytes(*job));
  DL_ASSIGN_OR_RETURN(JobEngine engine, MakeEngine(job));
  ++built_;
  MutexLock lock(mutex_);
  engines_.push_front(std::move(engine));
  in_use_ = true;
  int64_t bytes = 0;
  for (const JobEngine& kept : engines_) bytes += kept.bytes;
  while (engines_.size() > 1 && (engines_.size() > bounds_.engines || bytes > bounds_.bytes)) {
    bytes -= engines_.back().bytes;
    engines_.pop_back();
  }
  return &engines_.front();
}

void JobEngines::MarkUnused() {
  MutexLock lock(mutex_);
  in_use_ = false;
}

void JobEngines::Drop(const JobContext* job) {
  MutexLock lock(mutex_);
  if (!engines_.empty() && engines_.front().job.get() == job) in_use_ = false;
  engines_.remove_if([&](const JobEngine& engine) { return engine.job.get() == job; });
}

int64_t JobEngines::bytes() const {
  MutexLock lock(mutex_);
  int64_t bytes = 0;
  for (const JobEngine& engine : engines_) bytes += engine.bytes;
  return bytes;
}

int64_t JobEngines::DropOldest() {
  std::list<JobEngine> gone;  // destroyed after the unlock: joins a thread
  MutexLock lock(mutex_);
  if (engines_.size() <= (in_use_ ? 1 : 0)) return 0;
  gone.splice(gone.begin(), engines_, std::prev(engines_.end()));
  return gone.front().bytes;
}

}  // namespace dl::executor
