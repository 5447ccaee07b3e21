#include "cli/output/compiled_network_text.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "speed/benchmark.h"
#include "speed/compiled_network.h"

namespace dl::cli {
namespace {

// A kernel is listed with this many layers at most, the first ones.
constexpr size_t kListedLayers = 4;

std::string MebibytesText(int64_t bytes) {
  return absl::StrFormat("%.1f MiB", static_cast<double>(bytes) / (1 << 20));
}

struct Compiled {
  nn::Isa isa;
  speed::CompiledNetwork network;
};

StatusOr<Compiled> Compile(const job::JobSpec& spec) {
  const job::TrainingConfig& training = spec.training;
  DL_ASSIGN_OR_RETURN(const nn::Isa isa, speed::UseIsa(training.isa, training.precision));
  DL_ASSIGN_OR_RETURN(
      speed::CompiledNetwork network,
      speed::CompileNetwork(spec.model, {.max_batch = training.batch_size,
                                         .max_evaluation_batch = training.evaluation.batch_size,
                                         .micro_batch = training.micro_batch_size,
                                         .threads = static_cast<int>(training.threads_per_worker),
                                         .precision = training.precision,
                                         .kernels = training.kernels,
                                         .checkpoint_activations = training.checkpoint_activations,
                                         .carried_rows = training.batch_size}));
  return Compiled{isa, std::move(network)};
}

std::string MemoryText(const Compiled& compiled) {
  const speed::NetworkMemory& memory = compiled.network.memory;
  return absl::StrCat("  on this machine (", std::string(nn::IsaName(compiled.isa)),
                      "): ", MebibytesText(memory.Total()), "\n    ", MebibytesText(memory.tensors),
                      " for parameters and updater state\n    ", MebibytesText(memory.arena),
                      " for activations and gradients\n    ", MebibytesText(memory.kernels),
                      " for kernels\n");
}

Json MemoryJson(const Compiled& compiled) {
  const speed::NetworkMemory& memory = compiled.network.memory;
  return {{"isa", nn::IsaName(compiled.isa)},
          {"tensor_bytes", memory.tensors},
          {"arena_bytes", memory.arena},
          {"kernel_bytes", memory.kernels},
          {"total_bytes", memory.Total()}};
}

// Returns each kernel, in the order of its first layer, with a line of its layers.
std::string KernelsText(const Compiled& compiled) {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_kernel;
  for (const nn::LayerKernels& layer : compiled.network.kernels) {
    for (const std::string& kernel : layer.kernels) {
      auto found = std::ranges::find(by_kernel, kernel, [](const auto& row) { return row.first; });
      if (found == by_kernel.end()) found = by_kernel.insert(found, {kernel, {}});
      std::vector<std::string>& layers = found->second;
      if (layers.empty() || layers.back() != layer.layer) layers.push_back(layer.layer);
    }
  }
  std::string text =
      absl::StrCat("kernels on this machine (", std::string(nn::IsaName(compiled.isa)),
                   "), each with its layers:\n");
  for (const auto& [kernel, layers] : by_kernel) {
    absl::StrAppend(&text, "  ", kernel, "\n    ");
    for (size_t i = 0; i < std::min(layers.size(), kListedLayers); ++i)
      absl::StrAppend(&text, i == 0 ? "" : ", ", layers[i]);
    if (layers.size() > kListedLayers)
      absl::StrAppend(&text, " and ", layers.size() - kListedLayers, " more");
    text += "\n";
  }
  return text;
}

// Returns the list of layers. Each names a kernel once, with the number of its primitives.
Json KernelsJson(const Compiled& compiled) {
  Json list = Json::array();
  for (const nn::LayerKernels& layer : compiled.network.kernels) {
    Json kernels = Json::array();
    for (const std::string& name : layer.kernels) {
      const auto found =
          std::ranges::find_if(kernels, [&](const Json& kernel) { return kernel["name"] == name; });
      if (found == kernels.end())
        kernels.push_back({{"name", name}, {"primitives", 1}});
      else
        (*found)["primitives"] = (*found)["primitives"].get<int64_t>() + 1;
    }
    list.push_back({{"layer", layer.layer}, {"kernels", std::move(kernels)}});
  }
  return list;
}

}  // namespace

CompiledNetworkReport ReportCompiledNetwork(const job::JobSpec& spec) {
  const auto compiled = Compile(spec);
  if (!compiled.ok()) {
    return {.memory = absl::StrCat(
                "  on this machine unknown: ", std::string(compiled.status().message()), "\n")};
  }
  return {.memory = MemoryText(*compiled),
          .kernels = KernelsText(*compiled),
          .memory_json = MemoryJson(*compiled),
          .kernels_json = KernelsJson(*compiled)};
}

}  // namespace dl::cli
