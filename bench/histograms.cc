// Measures what histograms cost a job (training.statistics.every_rounds = 1): the histograms of
// activations in a step of LeNet-5 on one thread, and those of parameters and changes at a merge.
//
// bench histograms [--frequency N] [--repeats N]: alternates steps with and without histograms.
// Prints one JSON line:
//
//   step_ms         median processor time of a step.
//   activations_ms  median over the pairs of the additional time of a step with histograms.
//   merge_ms        median time of the histograms of parameters and changes at a merge.
//   cost            (activations_ms + merge_ms) / (frequency * step_ms). A round counts the
//                   activations of one step of one worker, and waits for them and for the merge.
#include <iostream>
#include <vector>

#include "averaging/job_strategy.h"
#include "base/clock.h"
#include "base/json.h"
#include "bench/lenet_job.h"
#include "bench/measures.h"
#include "bench/program.h"
#include "bench/programs.h"
#include "cli/flags.h"
#include "master/merge/layer_measures.h"
#include "nn/activation_histograms.h"
#include "nn/conf/segments.h"
#include "nn/network.h"

namespace dl::bench {
namespace histograms_bench {
namespace {

struct Options {
  int64_t frequency = 8, repeats = 100;
};

// Processor time of this thread, in milliseconds.
double CpuMs() { return 1e3 * Seconds(ThreadTime()); }

// A network with a minibatch of made-up images.
class Trainer {
 public:
  Status Open(const job::JobSpec& spec) {
    const int64_t batch = spec.training.batch_size;
    DL_ASSIGN_OR_RETURN(network_, nn::Network::Create(spec.model, {.max_batch = batch}));
    state_ = nn::InitialState(spec.model, 1, batch);
    features_.resize(static_cast<size_t>(batch * nn::ElementsOf(spec.model.inputs)));
    for (size_t i = 0; i < features_.size(); ++i)
      features_[i] = static_cast<float>((i * 2654435761U >> 20) % 256) / 255.0F;
    labels_.resize(static_cast<size_t>(batch));
    for (size_t i = 0; i < labels_.size(); ++i) labels_[i] = static_cast<int32_t>(i % 10);
    return network_->Load(state_);
  }

  // Makes a step. Returns its processor time.
  StatusOr<double> Step(nn::ActivationHistograms* activations) {
    ++steps_;
    const double begin = CpuMs();
    DL_RETURN_IF_ERROR(
        network_
            ->TrainStep({.examples = std::ssize(labels_), .features = features_, .labels = labels_},
                        {.step = steps_, .learning_rate = 0.01, .update_count = steps_},
                        activations)
            .status());
    return CpuMs() - begin;
  }
  // Returns the state before all steps.
  const std::vector<float>& first_state() const { return state_; }
  StatusOr<std::vector<float>> State() const {
    std::vector<float> state(state_.size());
    DL_RETURN_IF_ERROR(network_->Store(state));
    return state;
  }

 private:
  std::unique_ptr<nn::Network> network_;
  std::vector<float> state_, features_;
  std::vector<int32_t> labels_;
  int64_t steps_ = 0;
};

StatusOr<Json> Measure(const Options& options) {
  DL_ASSIGN_OR_RETURN(const job::JobSpec spec,
                      LenetJob({.workers = 4, .frequency = options.frequency}));
  Trainer trainer;
  DL_RETURN_IF_ERROR(trainer.Open(spec));
  std::vector<double> steps, additional, merges;
  for (int64_t i = 0; i <= options.repeats; ++i) {
    nn::ActivationHistograms activations;
    DL_ASSIGN_OR_RETURN(const double without, trainer.Step(nullptr));
    DL_ASSIGN_OR_RETURN(const double with, trainer.Step(&activations));
    if (i == 0) continue;  // fills caches
    steps.push_back(without);
    additional.push_back(with - without);
  }
  master::JobMaterial material{.workers = 4, .histograms_every = 1};
  DL_ASSIGN_OR_RETURN(material.strategy, averaging::MakeStrategy(spec));
  master::LayerMeasures measures(material);
  DL_ASSIGN_OR_RETURN(const std::vector<float> after, trainer.State());
  const averaging::PartLayout& model = material.layout().model();
  const std::span<const float> before = trainer.first_state();
  for (int64_t i = 0; i < options.repeats; ++i) {
    const double begin = CpuMs();
    (void)measures.HistogramsOf(1, model.In(before), model.In(std::span(after)));
    merges.push_back(CpuMs() - begin);
  }
  const double added = Median(additional) + Median(merges);
  return Json{{"bench", "histograms"},
              {"frequency", options.frequency},
              {"repeats", options.repeats},
              {"step_ms", Median(steps)},
              {"activations_ms", Median(additional)},
              {"merge_ms", Median(merges)},
              {"cost", added / (static_cast<double>(options.frequency) * Median(steps))}};
}

}  // namespace
}  // namespace histograms_bench

int RunHistograms(int argc, char** argv) {
  using namespace histograms_bench;
  Options options;
  cli::Flags flags("bench histograms", "Histograms of LeNet-5, relative to its steps");
  flags.Integer("--frequency", "N", options.frequency, "Minibatches between two averages", 1, 1000);
  flags.Integer("--repeats", "N", options.repeats, "Pairs of steps after one that warms up", 1,
                10'000);
  return RunProgram(argc, argv, flags, [&]() -> Status {
    DL_ASSIGN_OR_RETURN(const Json line, Measure(options));
    std::cout << line.dump() << std::endl;
    return absl::OkStatus();
  });
}

}  // namespace dl::bench
