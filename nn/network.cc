#include "nn/network.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/limits.h"
#include "nn/backend/compute_scope.h"
#include "nn/backend/parallel_for.h"
#include "nn/backend/step_observer.h"
#include "nn/carried_states.h"
#include "nn/compiled_plans.h"
#include "nn/conf/layer_config.h"
#include "nn/execution_plan.h"
#include "nn/kernel_contract.h"
#include "nn/minibatch_check.h"
#include "nn/output_losses.h"
#include "nn/parameter_store.h"

namespace dl::nn {
namespace {

constexpr auto kFloat = static_cast<int64_t>(sizeof(float));

// Returns the description of a minibatch that is computed in one piece.
MicroBatch Whole(const Minibatch& batch) {
  return {.examples = batch.examples, .minibatch = batch.examples};
}

}  // namespace

struct Network::State {
  State(const ModelConfig& config, const NetworkOptions& network_options)
      : model(config),
        options(network_options),
        parameters(model, {.carried_rows = CarriedRows(),
                           .accumulates = MicroBatchSize(Purpose::kTraining, options.max_batch) <
                                          options.max_batch,
                           .early_updates = options.passes.early_updates}),
        judged(model, MostExamples(), options.passes),
        lengths(model, MostExamples()),
        plans({.model = model,
               .parameters = parameters,
               .carried = carried,
               .lengths = lengths,
               .counted = judged.selected(),
               .in_place = judged.WorkInPlace(),
               .precision = options.precision,
               .kernels = options.kernels,
               .checkpoint_activations = options.checkpoint_activations}) {}

  int64_t MostExamples() const { return std::max(options.max_batch, options.max_evaluation_batch); }

  int64_t MostExamples(Purpose purpose) const {
    const int64_t evaluated = options.max_evaluation_batch;
    return purpose == Purpose::kInference && evaluated > 0 ? evaluated : options.max_batch;
  }
  // Returns how many examples of a minibatch are computed at once.
  int64_t MicroBatchSize(Purpose purpose, int64_t examples) const {
    const bool cut = purpose == Purpose::kTraining && options.micro_batch > 0;
    return cut ? std::min(options.micro_batch, examples) : examples;
  }
  // Number of rows of carried state in table().
  int64_t CarriedRows() const {
    return options.max_batch == 0 ? 0 : std::max(options.carried_rows, options.max_batch);
  }
  Status CheckBatch(Purpose purpose, const Minibatch& batch) const;
  void ReadInputs(std::span<const float> features, int64_t examples);
  // Runs the forward pass of the micro-batch that pass.micro_batch describes.
  Status Run(const Minibatch& batch, const Pass& pass);
  // Runs one micro-batch, forward and backward, and sets the gradients of that micro-batch.
  Status ForwardBackwardPart(const Minibatch& batch, const Pass& pass, MetricSums& sums);
  Status ForwardBackward(const Minibatch& batch, const Pass& pass, MetricSums& sums);
  // Runs the whole minibatch in inference mode.
  Status Run(const Minibatch& batch);
  // Checks that `sums` has a confusion matrix of the output's size, or none.
  Status CheckConfusion(size_t output, const MetricSums& sums) const;
  Pass PassOf(const StepContext& context, Pass::Mode mode) const;

  ModelConfig model;
  NetworkOptions options;
  ExecutionPlan::Shape shape;  // of the last pass; kept because steps must not allocate
  ParameterStore parameters;
  CarriedStates carried;
  OutputLosses judged;
  ExampleLengths lengths;  // of the minibatch's examples
  CompiledPlans plans;
  // Counts the outputs of layers in the training step that is running; null: not counted.
  ActivationHistograms* activations = nullptr;
  StepObserver* observer = nullptr;  // of training steps
  ExecutionPlan& plan() const { return plans.current(); }
};

Status Network::State::CheckBatch(Purpose purpose, const Minibatch& batch) const {
  const int64_t most = MostExamples(purpose);
  if (most == 0) {
    return FailedPrecondition({.message = "a network for evaluation cannot make training steps"});
  }
  if (batch.examples < 1 || batch.examples > most) {
    return InvalidArgument({.message = "a batch of " + std::to_string(batch.examples) +
                                       " examples, expected 1 to " + std::to_string(most),
                            .where = "batch"});
  }
  return CheckMinibatch(model, batch);
}

// A row of features holds the values of all inputs of one example.
void Network::State::ReadInputs(std::span<const float> features, int64_t examples) {
  const ObservedPart part({.kind = StepPart::Kind::kInputs});
  const int64_t row = ElementsOf(model.inputs);
  int64_t first = 0;
  for (size_t i = 0; i < model.inputs.size(); ++i) {
    const int64_t values = model.inputs[i].type.Elements();
    float* const input = plan().inputs()[i];
    ForRows(examples, values, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r)
        std::copy_n(features.data() + r * row + first, values, input + r * values);
    });
    first += values;
  }
}

Status Network::State::Run(const Minibatch& batch, const Pass& pass) {
  shape.purpose = pass.Training() ? Purpose::kTraining : Purpose::kInference;
  shape.batch = pass.micro_batch.examples;
  shape.capacities.clear();  // an evaluation computes all rows, because its caller may read them
  if (pass.Training()) {
    judged.SelectRows(pass.micro_batch);
    const std::vector<int64_t>& capacities = judged.selected().capacities();
    if (std::ranges::any_of(capacities, [](int64_t rows) { return rows > 0; }))
      shape.capacities = capacities;
  }
  DL_RETURN_IF_ERROR(plans.Activate(shape));
  ReadInputs(pass.micro_batch.SliceOf(batch.features), pass.micro_batch.examples);
  lengths.Set(pass.micro_batch.SliceOf(batch.lengths));
  return plan().Forward(pass, pass.mode == Pass::Mode::kTraining ? activations : nullptr);
}

Status Network::State::ForwardBackward(const Minibatch& batch, const Pass& pass, MetricSums& sums) {
  DL_RETURN_IF_ERROR(CheckBatch(Purpose::kTraining, batch));
  DL_RETURN_IF_ERROR(judged.Expect(batch));
  Pass part = pass;
  MicroBatch& micro = part.micro_batch;
  micro.minibatch = batch.examples;
  for (; micro.first < micro.minibatch; micro.first += micro.examples, ++micro.number) {
    micro.examples = MicroBatchSize(Purpose::kTraining, micro.minibatch - micro.first);
    DL_RETURN_IF_ERROR(ForwardBackwardPart(batch, part, sums));
    if (micro.examples < micro.minibatch) {
      DL_RETURN_IF_ERROR(parameters.AccumulateGradients(
          {.first = micro.first == 0, .last = micro.first + micro.examples == micro.minibatch}));
    }
  }
  return absl::OkStatus();
}

Status Network::State::ForwardBackwardPart(const Minibatch& batch, const Pass& pass,
                                           MetricSums& sums) {
  DL_RETURN_IF_ERROR(Run(batch, pass));
  {
    const ObservedPart part({.kind = StepPart::Kind::kLosses});
    judged.AddLosses(plan(), pass.micro_batch, sums);
    plan().AddPenalties(judged.CountedOfMain(), sums);
    judged.SetGradients(plan(), pass.micro_batch);
  }
  DL_RETURN_IF_ERROR(plan().Backward(pass));
  return parameters.AddSharedGradients();
}

Status Network::State::Run(const Minibatch& batch) {
  return Run(batch, {.mode = Pass::Mode::kInference, .micro_batch = Whole(batch)});
}

Pass Network::State::PassOf(const StepContext& context, Pass::Mode mode) const {
  return {.mode = mode,
          .seed = options.seed.value_or(model.seed),
          .epoch = context.epoch,
          .round = context.round,
          .worker = context.worker,
          .step = context.step};
}

Network::Network(std::unique_ptr<State> state) : state_(std::move(state)) {}
Network::~Network() = default;

StatusOr<std::unique_ptr<Network>> Network::Create(const ModelConfig& model,
                                                   const NetworkOptions& options) {
  for (const auto& [name, most] : {std::pair{"max_batch", options.max_batch},
                                   {"max_evaluation_batch", options.max_evaluation_batch},
                                   {"micro_batch", options.micro_batch},
                                   {"carried_rows", options.carried_rows}}) {
    if (most >= 0 && most <= limits::kMaxBatchSize) continue;
    return InvalidArgument({.message = std::string(name) + " is " + std::to_string(most) +
                                       ", expected 0 to " + std::to_string(limits::kMaxBatchSize)});
  }
  if (options.max_batch == 0 && options.max_evaluation_batch == 0) {
    return InvalidArgument({.message = "max_batch and max_evaluation_batch are both 0"});
  }
  if (options.threads < 1 || options.threads > limits::kMaxEngineThreads) {
    return InvalidArgument({.message = "threads is " + std::to_string(options.threads) +
                                       ", expected 1 to " +
                                       std::to_string(limits::kMaxEngineThreads)});
  }
  DL_ASSIGN_OR_RETURN(const Isa level, ProcessIsa());
  DL_RETURN_IF_ERROR(CheckPrecision(level, options.precision));
  if (options.kernels == KernelSet::kPortable && options.precision != Precision::kFloat32) {
    return FailedPrecondition({.message = "portable kernels compute in float32 only",
                               .where = "precision",
                               .remedy = "Use precision float32 or native kernels."});
  }
  const ComputeScope scope(options.threads);
  std::unique_ptr<Network> network(new Network(std::make_unique<State>(model, options)));
  State& state = *network->state_;
  DL_ASSIGN_OR_RETURN(
      state.carried, CarriedStates::Create(model, state.parameters.table(),
                                           {.training = state.CarriedRows(),
                                            .inference = state.MostExamples(Purpose::kInference)}));
  const Purpose purpose = options.max_batch > 0 ? Purpose::kTraining : Purpose::kInference;
  DL_RETURN_IF_ERROR(state.plans.Activate(
      {.purpose = purpose, .batch = state.MicroBatchSize(purpose, state.MostExamples(purpose))}));
  if (purpose == Purpose::kTraining) DL_RETURN_IF_ERROR(state.parameters.BindUpdate());
  return network;
}

const ModelConfig& Network::model() const { return state_->model; }
const SegmentTable& Network::table() const { return state_->parameters.table(); }

Network::Buffers Network::buffers() const {
  return {.tensors = (state_->parameters.floats() + state_->carried.floats()) * kFloat,
          .arena = state_->plans.arena_floats() * kFloat,
          .weight_copies = state_->parameters.floats_of_copies() * kFloat};
}

std::vector<LayerKernels> Network::Kernels() const { return state_->plans.current().kernels(); }

Status Network::Load(std::span<const float> state) {
  if (static_cast<int64_t>(state.size()) != table().size())
    return SizeError("state", table().size(), state.size());
  const SegmentSpan whole{0, state};
  return Load(std::span(&whole, 1));
}

Status Network::Load(std::span<const SegmentSpan> state) {
  for (const auto& [offset, values] : state) {
    if (offset < 0 || offset + static_cast<int64_t>(values.size()) > table().size())
      return SizeError("stretch of a state", table().size() - offset, values.size());
  }
  const ComputeScope scope(state_->options.threads);
  state_->carried.Load(state);
  return state_->parameters.Load(state);
}

Status Network::Store(std::span<float> state) const {
  if (static_cast<int64_t>(state.size()) != table().size())
    return SizeError("state", table().size(), state.size());
  const ComputeScope scope(state_->options.threads);
  state_->carried.Store(state);
  return state_->parameters.Store(state);
}

void Network::BeginStreams() { state_->carried.Clear(); }

StatusOr<MetricSums> Network::TrainStep(const Minibatch& batch, const StepContext& context,
                                        ActivationHistograms* activations) {
  const ComputeScope scope(state_->options.threads);
  const ObserverScope observed(state_->observer);
  MetricSums sums;
  state_->activations = activations;
  state_->parameters.BeginUpdate(context.learning_rate, context.update_count);
  const Status computed =
      state_->ForwardBackward(batch, state_->PassOf(context, Pass::Mode::kTraining), sums);
  state_->activations = nullptr;
  DL_RETURN_IF_ERROR(computed);
  const ObservedPart part({.kind = StepPart::Kind::kUpdate});
  DL_RETURN_IF_ERROR(state_->parameters.FinishUpdate());
  return sums;
}

void Network::Observe(StepObserver* observer) { state_->observer = observer; }

StatusOr<MetricSums> Network::Evaluate(const Minibatch& batch) {
  const Output& output = state_->judged.main();
  MetricSums sums(PredictsClasses(output.loss) && output.units <= limits::kMaxAnnouncedClasses
                      ? output.units
                      : 0);
  DL_RETURN_IF_ERROR(EvaluateInto(batch, sums));
  return sums;
}

Status Network::State::CheckConfusion(size_t output, const MetricSums& sums) const {
  const Output& conf = judged.conf(output);
  const int64_t classes = PredictsClasses(conf.loss) ? conf.units : 0;
  if (sums.classes() == 0 || sums.classes() == classes) return absl::OkStatus();
  return SizeError("confusion matrix", classes, static_cast<size_t>(sums.classes()));
}

Status Network::EvaluateInto(const Minibatch& batch, MetricSums& sums) {
  State& state = *state_;
  DL_RETURN_IF_ERROR(state.CheckBatch(Purpose::kInference, batch));
  DL_RETURN_IF_ERROR(state.judged.Expect(batch));
  DL_RETURN_IF_ERROR(state.CheckConfusion(state.judged.count() - 1, sums));
  const ComputeScope scope(state.options.threads);
  DL_RETURN_IF_ERROR(state.Run(batch));
  state.judged.AddLosses(state.plan(), Whole(batch), sums);
  state.plan().AddPenalties(state.judged.CountedOfMain(), sums);
  return absl::OkStatus();
}

Status Network::EvaluateInto(const Minibatch& batch, std::span<MetricSums> by_output,
                             MetricSums& all) {
  State& state = *state_;
  DL_RETURN_IF_ERROR(state.CheckBatch(Purpose::kInference, batch));
  DL_RETURN_IF_ERROR(state.judged.Expect(batch));
  if (by_output.size() != state.judged.count()) {
    return SizeError("sums of outputs", static_cast<int64_t>(state.judged.count()),
                     by_output.size());
  }
  for (size_t i = 0; i < by_output.size(); ++i)
    DL_RETURN_IF_ERROR(state.CheckConfusion(i, by_output[i]));
  const ComputeScope scope(state.options.threads);
  DL_RETURN_IF_ERROR(state.Run(batch));
  state.judged.AddLosses(state.plan(), by_output, all);
  state.plan().AddPenalties(state.judged.CountedOfMain(), by_output.back());
  state.plan().AddPenalties(state.judged.CountedOfMain(), all);
  return absl::OkStatus();
}

StatusOr<std::span<const float>> Network::Predict(const Minibatch& batch) {
  DL_RETURN_IF_ERROR(state_->CheckBatch(Purpose::kInference, batch));
  const ComputeScope scope(state_->options.threads);
  DL_RETURN_IF_ERROR(state_->Run(batch));
  state_->judged.Predict(state_->plan());
  return LastPredictions();
}

std::span<const float> Network::LastPredictions() const {
  return LastPredictions(state_->judged.count() - 1);
}

std::span<const float> Network::LastPredictions(size_t output) const {
  const Outputs outputs = state_->plan().outputs(output);
  return {outputs.values, static_cast<size_t>(outputs.rows * outputs.outputs)};
}

StatusOr<MetricSums> Network::Gradient(const Minibatch& batch, const StepContext& context,
                                       std::span<float> gradient) {
  const int64_t size = table().SizeOf(SegmentKind::kParameter);
  if (static_cast<int64_t>(gradient.size()) != size)
    return SizeError("gradient", size, gradient.size());
  const ComputeScope scope(state_->options.threads);
  MetricSums sums;
  state_->parameters.BeginCollection(gradient);
  DL_RETURN_IF_ERROR(
      state_->ForwardBackward(batch, state_->PassOf(context, Pass::Mode::kGradientOnly), sums));
  DL_RETURN_IF_ERROR(state_->parameters.FinishCollection());
  return sums;
}

}  // namespace dl::nn
