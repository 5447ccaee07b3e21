#include "speed/step_measurement.h"

#include <algorithm>
#include <cmath>

#include "nn/conf/layer_config.h"
#include "nn/conf/segments.h"

namespace dl::speed {
namespace {

constexpr int64_t kComparedSteps = 3;  // whose losses are compared; they also warm up
constexpr int64_t kProfiledSteps = 5;
constexpr double kBlockSeconds = 0.25;  // of one side, before it is the other's turn
constexpr int kMinBlocks = 3;

// Number of steps of a block.
int64_t BlockOf(double step_ms) {
  return std::clamp<int64_t>(std::llround(kBlockSeconds * 1e3 / step_ms), 1, 1000);
}

struct Turn {
  Participant participant;
  double spent = 0;  // seconds
};

Status MakeBlock(Turn& turn) {
  StepTimes& times = turn.participant.side->times;
  const int64_t count = times.wall.empty() ? 1 : BlockOf(LeastOf(times.wall));
  DL_ASSIGN_OR_RETURN(const Stepper::Steps steps, turn.participant.stepper->Make(count));
  times.cpu.insert(times.cpu.end(), steps.times.cpu.begin(), steps.times.cpu.end());
  times.wall.insert(times.wall.end(), steps.times.wall.begin(), steps.times.wall.end());
  for (const double ms : steps.times.wall) turn.spent += ms / 1e3;
  return absl::OkStatus();
}

Status TakeTurns(const std::vector<Participant>& participants, double seconds) {
  std::vector<Turn> turns;
  for (const Participant& participant : participants) turns.push_back({participant});
  for (int block = 0;; ++block) {
    bool done = block >= kMinBlocks;
    for (Turn& turn : turns) {
      if (block >= kMinBlocks && turn.spent >= seconds) continue;
      done = false;
      DL_RETURN_IF_ERROR(MakeBlock(turn));
    }
    if (done) break;
  }
  for (const Participant& participant : participants)
    participant.side->memory_growth = participant.stepper->MemoryGrowth();
  return absl::OkStatus();
}

// Returns the operations of each layer of the profile.
std::vector<double> FlopsByLayer(const StepProfile& profile, const nn::ModelConfig& model,
                                 const nn::StepCost& cost) {
  std::vector<double> flops;
  for (const StepProfile::Layer& layer : profile.layers) {
    const auto found = std::ranges::find(model.layers, layer.name, &nn::LayerConfig::name);
    flops.push_back(found == model.layers.end()
                        ? 0
                        : cost.layer_flops[static_cast<size_t>(found - model.layers.begin())]);
  }
  return flops;
}

}  // namespace

Status MakeFirstSteps(const Participant& participant) {
  DL_ASSIGN_OR_RETURN(const Stepper::Steps steps, participant.stepper->Make(kComparedSteps));
  participant.side->losses = steps.losses;
  return participant.stepper->Make(1).status();
}

StatusOr<StepMeasurement> MeasureSteps(const MeasuredModel& measured,
                                       const MeasurementOptions& options,
                                       const StartOthers& start_others) {
  const nn::ModelConfig& model = measured.model;
  const StepData data(model, measured.size);
  StepMeasurement result{.batch = measured.size.examples,
                         .threads = options.threads,
                         .precision = options.precision,
                         .kernels = options.kernels,
                         .updater = std::string(nn::TagOf(model.updater)),
                         .cost = nn::CostOfStep(model, measured.size)};
  result.bound = BoundOf(result.cost, options.machine,
                         MeasureBandwidth(result.cost.update_storage, options.threads));
  std::unique_ptr<EngineSteps> engine;
  std::vector<Participant> participants;
  {
    const std::vector<float> state =
        nn::InitialState(model, 1, nn::IsStateful(model) ? measured.size.examples : 0);
    DL_ASSIGN_OR_RETURN(
        engine, EngineSteps::Create(model, data, state,
                                    {.threads = options.threads,
                                     .precision = options.precision,
                                     .kernels = options.kernels,
                                     .micro_batch = options.micro_batch,
                                     .checkpoint_activations = options.checkpoint_activations,
                                     .learning_rate = measured.learning_rate}));
    participants = {{.stepper = engine.get(), .side = &result.engine}};
    DL_RETURN_IF_ERROR(MakeFirstSteps(participants.front()));
    if (start_others) {
      DL_ASSIGN_OR_RETURN(const std::vector<Participant> others,
                          start_others({.data = data, .state = state}, result.engine));
      participants.insert(participants.end(), others.begin(), others.end());
    }
  }
  DL_RETURN_IF_ERROR(TakeTurns(participants, options.seconds));
  DL_ASSIGN_OR_RETURN(result.profile, engine->Profile(kProfiledSteps));
  result.layer_flops = FlopsByLayer(result.profile, model, result.cost);
  return result;
}

}  // namespace dl::speed
