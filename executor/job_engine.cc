#include "executor/job_engine.h"

#include <algorithm>

namespace dl::executor {
namespace {

StatusOr<JobEngine> MakeEngine(const std::shared_ptr<const JobContext>& job) {
  const job::TrainingConfig& training = job->spec.training;
  // No larger batch can come.
  const int64_t largest_test = job->test == nullptr ? 0
                                                    : std::min(training.evaluation.batch_size,
                                                               job->test->manifest().examples);
  const int64_t largest_train = std::min(training.batch_size, job->train->manifest().examples);
  const int64_t max_batch = std::max(largest_train, largest_test);
  JobEngine engine{.job = job};
  DL_ASSIGN_OR_RETURN(engine.network,
                      nn::Network::Create(job->spec.model,
                                          {.max_batch = max_batch,
                                           .threads = static_cast<int>(training.threads_per_worker),
                                           .seed = job->spec.seed}));
  if (!(engine.network->table() == job->layout.unit)) {
    return Internal({.message = "the engine's segments are not the model's", .where = job->id});
  }
  DL_ASSIGN_OR_RETURN(engine.reader, dataset::PrefetchingReader::Create(training.prefetch_batches));
  if (job->layout.worker.size() > 0) {
    DL_ASSIGN_OR_RETURN(engine.joined, FloatBuffer::Create(job->layout.unit.size()));
  }
  engine.bytes = EngineBytes(*job, max_batch);
  return engine;
}

}  // namespace

int64_t EngineBytes(const JobContext& job, int64_t max_batch) {
  const nn::ModelConfig& model = job.spec.model;
  const int64_t state = job.layout.unit.size();
  int64_t values = 3 * state + model.ParameterCount();
  if (job.layout.worker.size() > 0) values += state;
  int64_t example = model.input.Elements();
  for (const nn::LayerConfig& layer : model.layers) example += layer.output.Elements();
  values += 2 * max_batch * example;
  values += (job.spec.training.prefetch_batches + 1) * max_batch * model.input.Elements();
  return values * static_cast<int64_t>(sizeof(float));
}

StatusOr<JobEngine*> JobEngines::Get(const std::shared_ptr<const JobContext>& job) {
  const auto found = std::find_if(engines_.begin(), engines_.end(),
                                  [&](const JobEngine& engine) { return engine.job == job; });
  if (found != engines_.end()) {
    engines_.splice(engines_.begin(), engines_, found);
    return &engines_.front();
  }
  DL_ASSIGN_OR_RETURN(JobEngine engine, MakeEngine(job));
  ++built_;
  engines_.push_front(std::move(engine));
  int64_t bytes = 0;
  for (const JobEngine& kept : engines_) bytes += kept.bytes;
  while (engines_.size() > 1 && (engines_.size() > bounds_.engines || bytes > bounds_.bytes)) {
    bytes -= engines_.back().bytes;
    engines_.pop_back();
  }
  return &engines_.front();
}

void JobEngines::Drop(const JobContext* job) {
  engines_.remove_if([&](const JobEngine& engine) { return engine.job.get() == job; });
}

}  // namespace dl::executor
