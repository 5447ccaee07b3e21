#include "bench/steps/report.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "base/json.h"
#include "bench/measures.h"
#include "bench/steps/rival_environment.h"

namespace dl::bench {
namespace {

constexpr double kGiga = 1e9, kMega = 1e6, kMs = 1e3;

std::string TaskName(const Comparison& one) {
  return absl::StrFormat("%s %d", one.task.model->name, one.task.batch);
}

std::string TimesRow(const std::string& name, const Side& side, const std::string& rest) {
  return absl::StrFormat("  %-24s %9.2f %9.2f %9.2f %9.2f %9.0f  %s\n", name,
                         LeastOf(side.times.cpu), Median(side.times.cpu), LeastOf(side.times.wall),
                         Median(side.times.wall), static_cast<double>(side.memory_growth) / kMega,
                         rest);
}

std::string RivalRow(const Comparison& one, const RivalSide& rival, const MachineSpeed& machine) {
  const std::string ratio =
      rival.losses_agree()
          ? absl::StrFormat("%.2f x engine", one.Least(rival) / one.Least(one.engine))
          : "no ratio: its losses differ";
  return TimesRow(absl::StrFormat("pytorch %s %s", rival.version, RivalName(rival.kind)), rival,
                  absl::StrFormat("%s; losses within %.1e; sgemm %.0f GFLOP/s, %.0f %% of the "
                                  "peak%s",
                                  ratio, rival.loss_difference, rival.sgemm / kGiga,
                                  1e2 * rival.sgemm / machine.peak,
                                  rival.channels_last ? "; channels last" : ""));
}

// Time of a layer in both directions.
double TimeOf(const StepProfile::Layer& layer) { return layer.forward + layer.backward; }

std::string LayerTable(const StepProfile& profile, size_t rows) {
  std::vector<StepProfile::Layer> layers = profile.layers;
  std::ranges::stable_sort(layers, std::greater(), TimeOf);
  std::string text = absl::StrFormat("  %-28s %9s %9s %9s %6s\n", "layer", "forward", "backward",
                                     "own loops", "share");
  for (size_t i = 0; i < std::min(rows, layers.size()); ++i) {
    const StepProfile::Layer& layer = layers[i];
    absl::StrAppendFormat(&text, "  %-28s %9.3f %9.3f %9.3f %4.1f %%\n", layer.name, layer.forward,
                          layer.backward, layer.own, 1e2 * TimeOf(layer) / profile.total);
  }
  double others = 0, own = 0;
  for (size_t i = rows; i < layers.size(); ++i) {
    others += TimeOf(layers[i]);
    own += layers[i].own;
  }
  if (layers.size() > rows) {
    absl::StrAppendFormat(&text, "  %-28s %19.3f %9.3f %4.1f %%\n",
                          absl::StrFormat("%d more", layers.size() - rows), others, own,
                          1e2 * others / profile.total);
  }
  for (const auto& [name, ms] : {std::pair{"(inputs)", profile.inputs},
                                 {"(losses)", profile.losses},
                                 {"(update)", profile.update}})
    absl::StrAppendFormat(&text, "  %-28s %19.3f %9s %4.1f %%\n", name, ms, "",
                          1e2 * ms / profile.total);
  return text;
}

std::string KernelTable(const StepProfile& profile, size_t rows) {
  std::string text = absl::StrFormat("  %-56s %6s %9s %6s\n", "kernel", "calls", "ms", "share");
  for (size_t i = 0; i < std::min(rows, profile.kernels.size()); ++i) {
    const StepProfile::Kernel& kernel = profile.kernels[i];
    absl::StrAppendFormat(&text, "  %-56s %6d %9.3f %4.1f %%\n", kernel.name, kernel.calls,
                          kernel.ms, 1e2 * kernel.ms / profile.total);
  }
  absl::StrAppendFormat(
      &text, "  %-56s %6d %9.3f %4.1f %%\n",
      absl::StrFormat("reorders, %.1f MB", static_cast<double>(profile.reordered_bytes) / kMega),
      profile.reorders, profile.reorder, 1e2 * profile.reorder / profile.total);
  absl::StrAppendFormat(&text, "  %-56s %6s %9.3f %4.1f %%\n", "own loops", "", profile.own,
                        1e2 * profile.own / profile.total);
  return text;
}

Json SideJson(const Comparison& one, const Side& side) {
  return {{"cpu_ms", {{"least", LeastOf(side.times.cpu)}, {"median", Median(side.times.cpu)}}},
          {"wall_ms", {{"least", LeastOf(side.times.wall)}, {"median", Median(side.times.wall)}}},
          {"steps", side.times.cpu.size()},
          {"examples_per_second", static_cast<double>(one.task.batch) / one.Least(side) * kMs},
          {"memory_growth", side.memory_growth},
          {"losses", side.losses}};
}

Json ProfileJson(const StepProfile& profile) {
  Json layers = Json::array(), kernels = Json::array();
  for (const StepProfile::Layer& layer : profile.layers) {
    layers.push_back({{"name", layer.name},
                      {"forward_ms", layer.forward},
                      {"backward_ms", layer.backward},
                      {"own_loops_ms", layer.own}});
  }
  for (const StepProfile::Kernel& kernel : profile.kernels)
    kernels.push_back({{"name", kernel.name}, {"calls", kernel.calls}, {"ms", kernel.ms}});
  return {
      {"total_ms", profile.total},
      {"inputs_ms", profile.inputs},
      {"losses_ms", profile.losses},
      {"update_ms", profile.update},
      {"own_loops_ms", profile.own},
      {"reorders",
       {{"count", profile.reorders}, {"bytes", profile.reordered_bytes}, {"ms", profile.reorder}}},
      {"layers", layers},
      {"kernels", kernels}};
}

}  // namespace

std::string DescribeMachine(const ComparisonSettings& settings) {
  return absl::StrFormat(
      "%s, %s, threads: %d; peak %.0f GFLOP/s, memory %.1f GB/s, cache %.0f GB/s\n",
      CpuName(ReadCpuInfo()), nn::IsaName(settings.rivals.isa), settings.rivals.threads,
      settings.machine.peak / kGiga, settings.machine.memory_bandwidth / kGiga,
      settings.machine.cache_bandwidth / kGiga);
}

Json MachineJson(const ComparisonSettings& settings) {
  return {{"cpu", CpuName(ReadCpuInfo())},
          {"isa", nn::IsaName(settings.rivals.isa)},
          {"threads", settings.rivals.threads},
          {"precision", nn::WordOf(settings.precision)},
          {"peak_flops", settings.machine.peak},
          {"memory_bytes_per_second", settings.machine.memory_bandwidth},
          {"cache_bytes_per_second", settings.machine.cache_bandwidth}};
}

std::string DescribeComparison(const Comparison& one, const ComparisonSettings& settings,
                               size_t rows) {
  const double bound_ms = one.bound.total() * kMs;
  std::string text = absl::StrFormat("\n%s, %s, %s\n  %-24s %9s %9s %9s %9s %9s\n", TaskName(one),
                                     one.updater, nn::WordOf(settings.precision), "ms of a step",
                                     "cpu least", "median", "wall", "median", "MB grown");
  absl::StrAppendFormat(
      &text,
      "  %-24s %9.2f   %.2f GFLOP %.2f ms, update of %.1f MB %.2f ms, activations of %.1f MB "
      "%.2f ms\n",
      "bound in float32", bound_ms, one.cost.flops / kGiga, one.bound.products * kMs,
      one.cost.update_bytes / kMega, one.bound.update * kMs, one.cost.activation_bytes / kMega,
      one.bound.activations * kMs);
  text += TimesRow(
      "engine", one.engine,
      absl::StrFormat("%.2f x bound; loss %.4f after %d steps", one.Least(one.engine) / bound_ms,
                      one.engine.losses.back(), one.engine.losses.size()));
  for (const RivalSide& rival : one.rivals) text += RivalRow(one, rival, settings.machine);
  return text + LayerTable(one.profile, rows) + KernelTable(one.profile, rows);
}

Json ComparisonJson(const Comparison& one) {
  Json rivals = Json::array();
  for (const RivalSide& rival : one.rivals) {
    Json json = SideJson(one, rival);
    json["name"] = RivalName(rival.kind);
    json["version"] = rival.version;
    json["sgemm_flops"] = rival.sgemm;
    json["channels_last"] = rival.channels_last;
    json["loss_difference"] = rival.loss_difference;
    if (rival.losses_agree()) json["ratio"] = one.Least(rival) / one.Least(one.engine);
    rivals.push_back(std::move(json));
  }
  return {{"model", one.task.model->name},
          {"batch", one.task.batch},
          {"updater", one.updater},
          {"bound",
           {{"ms", one.bound.total() * kMs},
            {"flops", one.cost.flops},
            {"products_ms", one.bound.products * kMs},
            {"update_bytes", one.cost.update_bytes},
            {"update_ms", one.bound.update * kMs},
            {"activation_bytes", one.cost.activation_bytes},
            {"activations_ms", one.bound.activations * kMs}}},
          {"engine", SideJson(one, one.engine)},
          {"engine_by_bound", one.Least(one.engine) / (one.bound.total() * kMs)},
          {"rivals", rivals},
          {"profile", ProfileJson(one.profile)}};
}

std::string Summarize(const std::vector<Comparison>& comparisons) {
  std::string text = absl::StrFormat("\n%-22s %9s %9s %7s %7s %9s", "least ms of a step", "bound",
                                     "engine", "/ bound", "own", "reorders");
  if (comparisons.empty()) return text;
  for (const RivalSide& rival : comparisons.front().rivals)
    absl::StrAppendFormat(&text, " %15s %8s", RivalName(rival.kind), "/ engine");
  text += "\n";
  for (const Comparison& one : comparisons) {
    const double bound_ms = one.bound.total() * kMs, engine = one.Least(one.engine);
    absl::StrAppendFormat(&text, "%-22s %9.2f %9.2f %7.2f %5.0f %% %7.1f %%", TaskName(one),
                          bound_ms, engine, engine / bound_ms,
                          1e2 * one.profile.own / one.profile.total,
                          1e2 * one.profile.reorder / one.profile.total);
    for (const RivalSide& rival : one.rivals) {
      absl::StrAppendFormat(
          &text, " %15.2f %8s", one.Least(rival),
          rival.losses_agree() ? absl::StrFormat("%.2f", one.Least(rival) / engine) : "-");
    }
    text += "\n";
  }
  return text;
}

}  // namespace dl::bench
