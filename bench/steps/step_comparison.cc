#include "bench/steps/step_comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

namespace dl::bench {

double LossDifference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == 0 && b[i] == 0) continue;  // 0/0 would not be a number
    const double difference = std::abs(a[i] - b[i]) / std::max(std::abs(a[i]), std::abs(b[i]));
    // A loss that is not a number agrees with no other.
    largest = std::isnan(difference) ? std::numeric_limits<double>::infinity()
                                     : std::max(largest, difference);
  }
  return largest;
}

StatusOr<Comparison> Compare(const BenchTask& task, const ComparisonSettings& settings) {
  DL_ASSIGN_OR_RETURN(const nn::ModelConfig model, task.model->make());
  Comparison result{.task = task, .rivals = std::vector<RivalSide>(settings.kinds.size())};
  std::optional<RivalTask> files;
  std::vector<std::unique_ptr<Rival>> rivals;
  const auto start_rivals =
      [&](const speed::MeasuredStart& start,
          const speed::Side& engine) -> StatusOr<std::vector<speed::Participant>> {
    std::vector<speed::Participant> participants;
    if (!settings.kinds.empty()) files.emplace(task, model, start.data, start.state);
    for (size_t i = 0; i < settings.kinds.size(); ++i) {
      DL_ASSIGN_OR_RETURN(auto rival, Rival::Start(settings.kinds[i], settings.rivals, *files));
      RivalSide& side = result.rivals[i];
      side.kind = rival->kind();
      const bool rounds = UsesBf16(side.kind) || settings.machine.precision == nn::Precision::kBf16;
      side.largest_difference = rounds ? 2e-2 : 1e-4;
      side.version = rival->version();
      side.sgemm = rival->sgemm();
      side.channels_last = rival->channels_last();
      participants.push_back({.stepper = rival.get(), .side = &side});
      DL_RETURN_IF_ERROR(speed::MakeFirstSteps(participants.back()));
      side.loss_difference = LossDifference(engine.losses, side.losses);
      rivals.push_back(std::move(rival));
    }
    return participants;
  };
  const nn::StepSize size{.examples = task.batch, .labelled = task.model->labelled};
  DL_ASSIGN_OR_RETURN(
      result.engine,
      speed::MeasureSteps({.model = model, .size = size, .learning_rate = RateOf(model)},
                          {.machine = settings.machine.speed,
                           .threads = settings.machine.threads,
                           .precision = settings.machine.precision,
                           .kernels = settings.machine.kernels,
                           .seconds = settings.seconds},
                          start_rivals));
  return result;
}

}  // namespace dl::bench
