// Prints how much memory networks take and how much nn/conf/network_memory.h estimates, as a JSON
// document with a row for each.
//
// unit_memory ISA            all networks: tensors and arena as the engine allocated them
// unit_memory ISA NAME       one large network: growth of the process while it computes a unit
// unit_memory ISA grow|predict NAME EXAMPLES [checkpoints]
//                            a network of the zoo in its published shape: growth of the process
//                            while it makes training steps; what speed::CompileNetwork says
#include <unistd.h>

#include <iostream>

#include "base/json.h"
#include "base/log.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/network_memory.h"
#include "nn/conf/segments.h"
#include "nn/conf/zoo/zoo.h"
#include "nn/kernel_contract.h"
#include "nn/network.h"
#include "speed/compiled_network.h"
#include "speed/step_data.h"
#include "tests/golden/kernel_models.h"
#include "tests/memory/networks.h"
#include "tests/support/process_figures.h"

namespace dl::test {
namespace {

constexpr int64_t kFloat = sizeof(float);
nn::Precision precision = nn::Precision::kFloat32;  // that of the instruction set

template <typename T>
T Must(StatusOr<T> made) {
  if (!made.ok()) std::cerr << made.status() << std::endl;
  DL_CHECK(made.ok());
  return *std::move(made);
}

std::unique_ptr<nn::Network> Compile(const MemoryCase& one) {
  return Must(nn::Network::Create(one.model, {.max_batch = one.batch,
                                              .max_evaluation_batch = one.micro_batch,
                                              .micro_batch = one.micro_batch,
                                              .threads = one.threads,
                                              .precision = precision,
                                              .seed = 3}));
}

nn::NetworkMemory SaidOf(const MemoryCase& one) {
  return nn::NetworkMemoryAtMost(one.model, {.max_batch = one.batch,
                                             .max_evaluation_batch = one.micro_batch,
                                             .micro_batch = one.micro_batch,
                                             .threads = one.threads,
                                             .precision = precision});
}

Json Row(const MemoryCase& one, const std::string& kind, const nn::Network::Buffers& buffers,
         const nn::NetworkMemory& said) {
  return {{"name", one.name},           {"kind", kind},
          {"batch", one.batch},         {"threads", one.threads},
          {"tensors", buffers.tensors}, {"arena", buffers.arena},
          {"kernels", said.kernels},    {"said", said.Total()}};
}

Json TrainedRow(const MemoryCase& one, const std::string& kind) {
  return Row(one, kind, Compile(one)->buffers(), SaidOf(one));
}

// Returns the row of a network that only evaluates.
Json EvaluatedRow(const MemoryCase& one, const std::string& kind) {
  const auto network = Must(nn::Network::Create(one.model, {.max_batch = 0,
                                                            .max_evaluation_batch = one.batch,
                                                            .threads = one.threads,
                                                            .precision = precision,
                                                            .seed = 3}));
  return Row(one, kind, network->buffers(),
             nn::NetworkMemoryAtMost(one.model, {.max_batch = 0,
                                                 .max_evaluation_batch = one.batch,
                                                 .threads = one.threads,
                                                 .precision = precision}));
}

MemoryCase InParts(MemoryCase one) {
  one.micro_batch = (one.batch + 3) / 4;
  return one;
}

Json AllRows() {
  Json rows = Json::array();
  for (const KernelCase& one : KernelCases())
    rows.push_back(TrainedRow(
        {.name = one.name, .model = one.model, .batch = one.batch, .threads = one.threads},
        "trained"));
  for (const MemoryCase& one : LargeNetworks()) {
    rows.push_back(TrainedRow(one, "trained"));
    rows.push_back(TrainedRow(InParts(one), "random"));
    rows.push_back(EvaluatedRow(one, "random"));
  }
  for (const MemoryCase& one : RandomNetworks(200)) {
    rows.push_back(TrainedRow(one, "random"));
    rows.push_back(EvaluatedRow(one, "random"));
  }
  return rows;
}

// Lengths from 1 step to all of them. Empty if all examples have all steps.
std::vector<int32_t> LengthsThatDiffer(const nn::InputType& input, int64_t examples) {
  if (!input.variable_length) return {};
  std::vector<int32_t> lengths(examples);
  for (int64_t e = 0; e < examples; ++e)
    lengths[e] = static_cast<int32_t>(1 + e * (input.Steps() - 1) / (examples - 1));
  return lengths;
}

// Computes a unit as an executor does: receives a state, does steps with a full and a short
// minibatch, and returns a state.
Json GrowthOf(const MemoryCase& one) {
  const int64_t before = ProcessStatus(getpid(), "VmRSS");
  const auto network = Compile(one);
  const int64_t values = network->table().size();
  const std::vector<float> base(values, 0.01f);
  std::vector<float> result(values);
  DL_CHECK(network->Load(base).ok());
  const int64_t outputs = one.model.output().units;
  for (const int64_t examples : {one.batch, one.batch, one.batch / 2 + 1}) {
    // The value 1 is also valid as an index.
    const std::vector<float> features(examples * ElementsOf(one.model.inputs), 1.0f);
    const std::vector<int32_t> labels(examples * one.model.layers.back().output.Steps(),
                                      static_cast<int32_t>(outputs - 1));
    const std::vector<int32_t> lengths = LengthsThatDiffer(one.model.input(), examples);
    Must(network->TrainStep(
        {.examples = examples, .features = features, .labels = labels, .lengths = lengths},
        {.epoch = 1, .round = 1, .learning_rate = 1e-6}));
  }
  DL_CHECK(network->Store(result).ok());
  // Counts states and minibatches as job::UnitMemoryOf does.
  const int64_t said = SaidOf(one).Total() + 4 * values * kFloat +
                       3 * one.batch * ElementsOf(one.model.inputs) * kFloat;
  return {{"name", one.name}, {"grown", ProcessStatus(getpid(), "VmHWM") - before}, {"said", said}};
}

nn::ModelConfig ZooModel(const std::string& name) {
  const nn::zoo::ZooModel* entry = nn::zoo::FindZooModel(name);
  DL_CHECK(entry != nullptr);
  return Must(entry->make(entry->published).Updater(nn::Nesterov(1e-6)).Build());
}

// Returns the growth of the process while it makes training steps.
Json GrowthInZoo(const std::string& name, int64_t examples, bool checkpoints) {
  const nn::ModelConfig model = ZooModel(name);
  const speed::StepData data(model, {.examples = examples});
  const std::vector<float> state = nn::InitialState(model, 3, nn::IsStateful(model) ? examples : 0);
  const int64_t before = ProcessStatus(getpid(), "VmRSS");
  const auto network = Must(nn::Network::Create(
      model,
      {.max_batch = examples, .precision = precision, .checkpoint_activations = checkpoints}));
  DL_CHECK(network->Load(state).ok());
  for (int64_t step = 0; step < 2; ++step)
    Must(network->TrainStep(data.Of(step), {.step = step, .learning_rate = 1e-6}));
  return {{"grown", ProcessStatus(getpid(), "VmHWM") - before}};
}

// Returns what `inspect` shows for the same network.
Json PredictionInZoo(const std::string& name, int64_t examples, bool checkpoints) {
  const nn::ModelConfig model = ZooModel(name);
  const speed::CompiledNetwork compiled = Must(speed::CompileNetwork(
      model,
      {.max_batch = examples, .precision = precision, .checkpoint_activations = checkpoints}));
  const speed::NetworkMemory& memory = compiled.memory;
  const int64_t most = nn::NetworkMemoryAtMost(model, {.max_batch = examples,
                                                       .precision = precision,
                                                       .checkpoint_activations = checkpoints})
                           .Total();
  return {{"tensors", memory.tensors},
          {"arena", memory.arena},
          {"kernels", memory.kernels},
          {"predicted", memory.Total()},
          {"most", most}};
}

int Main(int argc, char** argv) {
  if (argc < 2) return 64;
  const nn::Isa isa = Must(nn::IsaFromName(argv[1]));
  DL_CHECK(nn::SetProcessIsa(isa).ok());
  precision = nn::PrecisionOf(isa);
  if (argc == 2) {
    std::cout << AllRows().dump() << std::endl;
    return 0;
  }
  if (argc >= 5) {
    const std::string name = argv[3];
    const int64_t examples = std::stoll(argv[4]);
    const bool checkpoints = argc > 5;
    std::cout << (std::string(argv[2]) == "grow" ? GrowthInZoo(name, examples, checkpoints)
                                                 : PredictionInZoo(name, examples, checkpoints))
                     .dump()
              << std::endl;
    return 0;
  }
  for (const MemoryCase& one : LargeNetworks()) {
    if (one.name != argv[2]) continue;
    std::cout << GrowthOf(argc > 3 ? InParts(one) : one).dump() << std::endl;
    return 0;
  }
  return 64;
}

}  // namespace
}  // namespace dl::test

int main(int argc, char** argv) { return dl::test::Main(argc, argv); }
