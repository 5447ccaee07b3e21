#include "speed/measurement_report.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/json.h"
#include "speed/cpu_info.h"

namespace dl::speed {
namespace {

constexpr double kGiga = 1e9, kMega = 1e6, kMs = 1e3;

// A layer with its operations in a step.
struct LayerTime {
  StepProfile::Layer layer;
  double flops = 0;

  double ms() const { return layer.forward + layer.backward; }
  double FlopsPerSecond() const { return ms() > 0 ? flops / ms() * kMs : 0; }
};

std::vector<LayerTime> LayersOf(const StepMeasurement& measurement) {
  std::vector<LayerTime> layers;
  for (size_t i = 0; i < measurement.profile.layers.size(); ++i)
    layers.push_back({measurement.profile.layers[i], measurement.layer_flops[i]});
  return layers;
}

// Returns the rate of products, or "-" if the layer has none.
std::string RateText(const LayerTime& layer) {
  return layer.flops > 0 ? absl::StrFormat("%.1f", layer.FlopsPerSecond() / kGiga) : "-";
}

std::string LayerTable(const StepMeasurement& measurement, size_t rows) {
  const StepProfile& profile = measurement.profile;
  std::vector<LayerTime> layers = LayersOf(measurement);
  std::ranges::stable_sort(layers, std::greater(), &LayerTime::ms);
  std::string text = absl::StrFormat("  %-28s %9s %9s %9s %7s %9s\n", "layer, ms", "forward",
                                     "backward", "own loops", "share", "GFLOP/s");
  for (size_t i = 0; i < std::min(rows, layers.size()); ++i) {
    const StepProfile::Layer& layer = layers[i].layer;
    absl::StrAppendFormat(&text, "  %-28s %9.3f %9.3f %9.3f %5.1f %% %9s\n", layer.name,
                          layer.forward, layer.backward, layer.own,
                          1e2 * layers[i].ms() / profile.total, RateText(layers[i]));
  }
  double others = 0, own = 0;
  for (size_t i = rows; i < layers.size(); ++i) {
    others += layers[i].ms();
    own += layers[i].layer.own;
  }
  if (layers.size() > rows) {
    absl::StrAppendFormat(&text, "  %-28s %19.3f %9.3f %5.1f %%\n",
                          absl::StrFormat("%d more", layers.size() - rows), others, own,
                          1e2 * others / profile.total);
  }
  for (const auto& [name, ms] : {std::pair{"(inputs)", profile.inputs},
                                 {"(losses)", profile.losses},
                                 {"(update)", profile.update}})
    absl::StrAppendFormat(&text, "  %-28s %19.3f %9s %5.1f %%\n", name, ms, "",
                          1e2 * ms / profile.total);
  return text;
}

std::string KernelTable(const StepProfile& profile, size_t rows) {
  std::string text = absl::StrFormat("  %-66s %6s %9s %7s\n", "kernel", "calls", "ms", "share");
  for (size_t i = 0; i < std::min(rows, profile.kernels.size()); ++i) {
    const StepProfile::Kernel& kernel = profile.kernels[i];
    absl::StrAppendFormat(&text, "  %-66s %6d %9.3f %5.1f %%\n", kernel.name, kernel.calls,
                          kernel.ms, 1e2 * kernel.ms / profile.total);
  }
  absl::StrAppendFormat(
      &text, "  %-66s %6d %9.3f %5.1f %%\n",
      absl::StrFormat("reorders, %.1f MB", static_cast<double>(profile.reordered_bytes) / kMega),
      profile.reorders, profile.reorder, 1e2 * profile.reorder / profile.total);
  absl::StrAppendFormat(&text, "  %-66s %6s %9.3f %5.1f %%\n", "own loops", "", profile.own,
                        1e2 * profile.own / profile.total);
  return text;
}

Json ProfileJson(const StepMeasurement& measurement) {
  const StepProfile& profile = measurement.profile;
  Json layers = Json::array(), kernels = Json::array();
  for (const LayerTime& one : LayersOf(measurement)) {
    layers.push_back({{"name", one.layer.name},
                      {"forward_ms", one.layer.forward},
                      {"backward_ms", one.layer.backward},
                      {"own_loops_ms", one.layer.own},
                      {"flops", one.flops},
                      {"flops_per_second", one.FlopsPerSecond()}});
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

double ShareOfPeak(const StepMeasurement& measurement, const MachineSpeed& machine) {
  return measurement.FlopsPerSecond() / machine.PeakOf(measurement.precision);
}

Json LeastAndMedian(const std::vector<double>& ms) {
  return {{"least", LeastOf(ms)}, {"median", Median(ms)}};
}

}  // namespace

std::string DescribeMachine(const UsedMachine& machine) {
  const MachineSpeed& speed = machine.speed;
  std::string text = absl::StrFormat(
      "%s, %s, %s kernels, threads: %d\n  peak %.0f GFLOP/s in float32", CpuName(ReadCpuInfo()),
      nn::IsaName(machine.isa), nn::WordOf(machine.kernels), machine.threads, speed.peak / kGiga);
  if (machine.precision == nn::Precision::kBf16)
    absl::StrAppendFormat(&text, ", %.0f GFLOP/s in bf16", speed.bf16_peak / kGiga);
  absl::StrAppendFormat(&text, ", memory %.1f GB/s, cache %.0f GB/s\n",
                        speed.memory_bandwidth / kGiga, speed.cache_bandwidth / kGiga);
  return text;
}

Json MachineJson(const UsedMachine& machine) {
  Json json = {{"cpu", CpuName(ReadCpuInfo())},
               {"isa", nn::IsaName(machine.isa)},
               {"kernels", nn::WordOf(machine.kernels)},
               {"threads", machine.threads},
               {"precision", nn::WordOf(machine.precision)},
               {"peak_flops", machine.speed.peak},
               {"memory_bytes_per_second", machine.speed.memory_bandwidth},
               {"cache_bytes_per_second", machine.speed.cache_bandwidth}};
  if (machine.precision == nn::Precision::kBf16) json["bf16_peak_flops"] = machine.speed.bf16_peak;
  return json;
}

std::string DescribeSpeed(const StepMeasurement& one, const MachineSpeed& machine) {
  const Bound& bound = one.bound;
  const double least = one.Least(one.engine), bound_ms = bound.total() * kMs;
  const std::vector<double>& all = one.threads == 1 ? one.engine.times.cpu : one.engine.times.wall;
  std::string text =
      absl::StrFormat("  %.0f examples/s: %.3f ms a step of %s, the least of %d; median %.3f ms\n",
                      one.ExamplesPerSecond(one.engine), least,
                      one.threads == 1 ? "processor time" : "wall time", all.size(), Median(all));
  absl::StrAppendFormat(&text, "  %.1f GFLOP/s: %.1f %% of the peak in %s, %.3f GFLOP a step\n",
                        one.FlopsPerSecond() / kGiga, 1e2 * ShareOfPeak(one, machine),
                        nn::WordOf(one.precision), one.cost.flops / kGiga);
  absl::StrAppendFormat(
      &text,
      "  %.2f x the bound in float32 of %.3f ms: products %.3f ms, update of %.1f MB %.3f ms, "
      "activations of %.1f MB %.3f ms\n",
      least / bound_ms, bound_ms, bound.products * kMs, one.cost.update_bytes / kMega,
      bound.update * kMs, one.cost.activation_bytes / kMega, bound.activations * kMs);
  absl::StrAppendFormat(&text, "  %.0f MB of memory for the model and its steps\n",
                        static_cast<double>(one.engine.memory_growth) / kMega);
  return text;
}

std::string DescribeProfile(const StepMeasurement& measurement, size_t rows) {
  return LayerTable(measurement, rows) + KernelTable(measurement.profile, rows);
}

Json SideJson(const StepMeasurement& one, const Side& side) {
  return {{"cpu_ms", LeastAndMedian(side.times.cpu)},
          {"wall_ms", LeastAndMedian(side.times.wall)},
          {"count", side.times.cpu.size()},
          {"examples_per_second", one.ExamplesPerSecond(side)},
          {"memory_bytes", side.memory_growth},
          {"losses", side.losses}};
}

Json MeasurementJson(const StepMeasurement& one, const MachineSpeed& machine) {
  return {{"batch_size", one.batch},
          {"updater", one.updater},
          {"examples_per_second", one.ExamplesPerSecond(one.engine)},
          {"flops_per_second", one.FlopsPerSecond()},
          {"share_of_peak", ShareOfPeak(one, machine)},
          {"steps", SideJson(one, one.engine)},
          {"bound",
           {{"ms", one.bound.total() * kMs},
            {"flops", one.cost.flops},
            {"products_ms", one.bound.products * kMs},
            {"update_bytes", one.cost.update_bytes},
            {"update_ms", one.bound.update * kMs},
            {"activation_bytes", one.cost.activation_bytes},
            {"activations_ms", one.bound.activations * kMs}}},
          {"time_by_bound", one.Least(one.engine) / (one.bound.total() * kMs)},
          {"profile", ProfileJson(one)}};
}

}  // namespace dl::speed
