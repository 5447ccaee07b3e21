#include "bench/steps/step_comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/clock.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/segments.h"

namespace dl::bench {
namespace {

constexpr int64_t kComparedSteps = 3;  // whose losses are compared; they also warm up
constexpr int64_t kProfiledSteps = 5;
constexpr double kBlockSeconds = 0.25;  // of one side, before it is the other's turn
constexpr int kFewestBlocks = 3;

Status MakeFirstSteps(Stepper& stepper, Side& side) {
  DL_ASSIGN_OR_RETURN(const Stepper::Steps steps, stepper.Make(kComparedSteps));
  side.losses = steps.losses;
  // Returns freed memory and compiles what is left, before anything is measured.
  return stepper.Make(1).status();
}

// Number of steps of a block.
int64_t BlockOf(double step_ms) {
  return std::clamp<int64_t>(std::llround(kBlockSeconds * 1e3 / step_ms), 1, 1000);
}

struct Turn {
  Stepper* stepper = nullptr;
  Side* side = nullptr;
  double spent = 0;  // seconds
};

Status MakeBlock(Turn& turn) {
  StepTimes& times = turn.side->times;
  const int64_t count = times.wall.empty() ? 1 : BlockOf(LeastOf(times.wall));
  DL_ASSIGN_OR_RETURN(const Stepper::Steps steps, turn.stepper->Make(count));
  times.cpu.insert(times.cpu.end(), steps.times.cpu.begin(), steps.times.cpu.end());
  times.wall.insert(times.wall.end(), steps.times.wall.begin(), steps.times.wall.end());
  for (const double ms : steps.times.wall) turn.spent += ms / 1e3;
  return absl::OkStatus();
}

Status TakeTurns(std::vector<Turn>& turns, double seconds) {
  for (int block = 0;; ++block) {
    bool done = block >= kFewestBlocks;
    for (Turn& turn : turns) {
      if (block >= kFewestBlocks && turn.spent >= seconds) continue;
      done = false;
      DL_RETURN_IF_ERROR(MakeBlock(turn));
    }
    if (done) return absl::OkStatus();
  }
}

}  // namespace

double LossDifference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(a[i] - b[i]) / std::max(std::abs(a[i]), std::abs(b[i]));
    // A loss that is not a number agrees with no other.
    largest = std::isnan(difference) ? std::numeric_limits<double>::infinity()
                                     : std::max(largest, difference);
  }
  return largest;
}

StatusOr<Comparison> Compare(const BenchTask& task, const ComparisonSettings& settings) {
  DL_ASSIGN_OR_RETURN(const nn::ModelConfig model, task.model->make());
  const StepData data(task, model);
  Comparison result{
      .task = task,
      .updater = std::string(nn::TagOf(model.updater)),
      .cost = nn::CostOfStep(model, {.examples = task.batch, .labelled = task.model->labelled}),
      .threads = settings.rivals.threads};
  result.bound = BoundOf(result.cost, settings.machine,
                         MeasureBandwidth(result.cost.update_storage, settings.rivals.threads));

  std::unique_ptr<EngineSteps> engine;
  std::optional<RivalTask> files;
  {
    const std::vector<float> state =
        nn::InitialState(model, 1, nn::IsStateful(model) ? task.batch : 0);
    DL_ASSIGN_OR_RETURN(engine, EngineSteps::Create(model, data, state,
                                                    {.threads = settings.rivals.threads,
                                                     .precision = settings.precision}));
    if (!settings.kinds.empty()) files.emplace(task, model, data, state);
  }
  DL_RETURN_IF_ERROR(MakeFirstSteps(*engine, result.engine));
  std::vector<std::unique_ptr<Rival>> rivals;
  result.rivals.resize(settings.kinds.size());
  std::vector<Turn> turns{{.stepper = engine.get(), .side = &result.engine}};
  for (size_t i = 0; i < settings.kinds.size(); ++i) {
    DL_ASSIGN_OR_RETURN(auto rival, Rival::Start(settings.kinds[i], settings.rivals, *files));
    RivalSide& side = result.rivals[i];
    side.kind = rival->kind();
    const bool rounds = UsesBf16(side.kind) || settings.precision == nn::Precision::kBf16;
    side.largest_difference = rounds ? 2e-2 : 1e-4;
    side.version = rival->version();
    side.sgemm = rival->sgemm();
    side.channels_last = rival->channels_last();
    DL_RETURN_IF_ERROR(MakeFirstSteps(*rival, side));
    side.loss_difference = LossDifference(result.engine.losses, side.losses);
    turns.push_back({.stepper = rival.get(), .side = &side});
    rivals.push_back(std::move(rival));
  }
  DL_RETURN_IF_ERROR(TakeTurns(turns, settings.seconds));
  for (const Turn& turn : turns) turn.side->memory_growth = turn.stepper->MemoryGrowth();
  DL_ASSIGN_OR_RETURN(result.profile, engine->Profile(kProfiledSteps));
  return result;
}

}  // namespace dl::bench
