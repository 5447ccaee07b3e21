#include "cli/output/network_memory_text.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "speed/benchmark.h"
#include "speed/measured_memory.h"

namespace dl::cli {
namespace {

std::string MebibytesText(int64_t bytes) {
  return absl::StrFormat("%.1f MiB", static_cast<double>(bytes) / (1 << 20));
}

struct Measured {
  nn::Isa isa;
  speed::NetworkMemory memory;
};

StatusOr<Measured> Measure(const job::JobSpec& spec) {
  const job::TrainingConfig& training = spec.training;
  DL_ASSIGN_OR_RETURN(const nn::Isa isa, speed::UseIsa(training.isa, training.precision));
  DL_ASSIGN_OR_RETURN(const speed::NetworkMemory memory,
                      speed::MeasureNetworkMemory(
                          spec.model, {.max_batch = training.batch_size,
                                       .max_evaluation_batch = training.evaluation.batch_size,
                                       .micro_batch = training.micro_batch_size,
                                       .threads = static_cast<int>(training.threads_per_worker),
                                       .precision = training.precision,
                                       .kernels = training.kernels,
                                       .checkpoint_activations = training.checkpoint_activations,
                                       .carried_rows = training.batch_size}));
  return Measured{isa, memory};
}

}  // namespace

NetworkMemoryReport ReportNetworkMemory(const job::JobSpec& spec) {
  const auto measured = Measure(spec);
  if (!measured.ok()) {
    return {.text = absl::StrCat(
                "  on this machine unknown: ", std::string(measured.status().message()), "\n")};
  }
  const speed::NetworkMemory& memory = measured->memory;
  return {
      .text = absl::StrCat("  on this machine (", std::string(nn::IsaName(measured->isa)),
                           "): ", MebibytesText(memory.Total()), "\n    ",
                           MebibytesText(memory.tensors), " for parameters and updater state\n    ",
                           MebibytesText(memory.arena), " for activations and gradients\n    ",
                           MebibytesText(memory.kernels), " for kernels\n"),
      .json = {{"isa", nn::IsaName(measured->isa)},
               {"tensor_bytes", memory.tensors},
               {"arena_bytes", memory.arena},
               {"kernel_bytes", memory.kernels},
               {"total_bytes", memory.Total()}}};
}

}  // namespace dl::cli
