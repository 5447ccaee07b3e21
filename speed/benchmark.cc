#include "speed/benchmark.h"

#include "absl/strings/str_cat.h"
#include "base/machine_memory.h"
#include "nn/conf/network_memory.h"

namespace dl::speed {
namespace {

// So small that losses stay finite with random labels. The time of a step does not depend on it.
constexpr double kRate = 1e-6;

Status CheckMemory(const nn::ModelConfig& model, const BenchmarkOptions& options) {
  const int64_t network =
      nn::NetworkMemoryAtMost(model, {.max_batch = options.size.examples,
                                      .micro_batch = options.micro_batch,
                                      .threads = options.threads,
                                      .precision = options.precision,
                                      .checkpoint_activations = options.checkpoint_activations})
          .Total();
  const int64_t needed = network + StepData::BytesOf(model, options.size);
  const AvailableMemory available = FindAvailableMemory();
  if (needed <= available.bytes) return absl::OkStatus();
  constexpr int64_t kMiB = 1 << 20;
  return FailedPrecondition(
      {.message =
           absl::StrCat("a step of ", options.size.examples, " examples may need ", needed / kMiB,
                        " MiB, and this process may use ", available.bytes / kMiB, " MiB",
                        available.limit.empty() ? "" : ": " + available.limit),
       .where = model.name,
       .remedy = "Measure smaller minibatches with --batch-size"});
}

}  // namespace

StatusOr<nn::Isa> UseIsa(const std::string& isa, nn::Precision precision) {
  if (!isa.empty()) {
    DL_ASSIGN_OR_RETURN(const nn::Isa named, nn::IsaFromName(isa));
    DL_RETURN_IF_ERROR(nn::SetProcessIsa(named));
  }
  DL_ASSIGN_OR_RETURN(const nn::Isa level, nn::ProcessIsa());
  DL_RETURN_IF_ERROR(nn::CheckPrecision(level, precision));
  for (const nn::Isa contract : nn::ContractIsas(level)) {
    if (nn::PrecisionOf(contract) == precision) return contract;
  }
  return level;
}

StatusOr<Benchmark> RunBenchmark(const nn::ModelConfig& model, const BenchmarkOptions& options) {
  DL_RETURN_IF_ERROR(CheckMemory(model, options));
  Benchmark result{.machine = {.threads = options.threads,
                               .precision = options.precision,
                               .kernels = options.kernels}};
  DL_ASSIGN_OR_RETURN(result.machine.isa, UseIsa(options.isa, options.precision));
  result.machine.speed = MeasureMachine(result.machine.isa, options.threads);
  DL_ASSIGN_OR_RETURN(result.measurement,
                      MeasureSteps({.model = model, .size = options.size, .learning_rate = kRate},
                                   {.machine = result.machine.speed,
                                    .threads = options.threads,
                                    .precision = options.precision,
                                    .kernels = options.kernels,
                                    .micro_batch = options.micro_batch,
                                    .checkpoint_activations = options.checkpoint_activations,
                                    .seconds = options.seconds}));
  return result;
}

}  // namespace dl::speed
