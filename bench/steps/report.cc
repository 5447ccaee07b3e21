#include "bench/steps/report.h"

#include "absl/strings/str_format.h"
#include "base/json.h"

namespace dl::bench {
namespace {

using speed::LeastOf;
using speed::Median;

constexpr double kGiga = 1e9, kMega = 1e6, kMs = 1e3;

std::string TaskName(const Comparison& one) {
  return absl::StrFormat("%s %d", one.task.model->name, one.task.batch);
}

std::string TimesRow(const std::string& name, const speed::Side& side, const std::string& rest) {
  return absl::StrFormat("  %-24s %9.2f %9.2f %9.2f %9.2f %9.0f  %s\n", name,
                         LeastOf(side.times.cpu), Median(side.times.cpu), LeastOf(side.times.wall),
                         Median(side.times.wall), static_cast<double>(side.memory_growth) / kMega,
                         rest);
}

std::string RivalRow(const Comparison& one, const RivalSide& rival,
                     const speed::MachineSpeed& machine) {
  const std::string ratio = rival.losses_agree()
                                ? absl::StrFormat("%.2f x engine", one.Least(rival) / one.Least())
                                : "no ratio: its losses differ";
  return TimesRow(absl::StrFormat("pytorch %s %s", rival.version, RivalName(rival.kind)), rival,
                  absl::StrFormat("%s; losses within %.1e; sgemm %.0f GFLOP/s, %.0f %% of the "
                                  "peak%s",
                                  ratio, rival.loss_difference, rival.sgemm / kGiga,
                                  1e2 * rival.sgemm / machine.peak,
                                  rival.channels_last ? "; channels last" : ""));
}

}  // namespace

std::string DescribeComparison(const Comparison& one, const ComparisonSettings& settings,
                               size_t rows) {
  const speed::StepMeasurement& engine = one.engine;
  std::string text = absl::StrFormat("\n%s, %s, %s\n", TaskName(one), engine.updater,
                                     nn::WordOf(engine.precision));
  text += speed::DescribeSpeed(engine, settings.machine.speed);
  absl::StrAppendFormat(&text, "  %-24s %9s %9s %9s %9s %9s\n", "ms of a step", "cpu least",
                        "median", "wall", "median", "MB grown");
  text += TimesRow("engine", engine.engine,
                   absl::StrFormat("loss %.4f after %d steps", engine.engine.losses.back(),
                                   engine.engine.losses.size()));
  for (const RivalSide& rival : one.rivals) text += RivalRow(one, rival, settings.machine.speed);
  return text + speed::DescribeProfile(engine, rows);
}

Json ComparisonJson(const Comparison& one, const ComparisonSettings& settings) {
  Json rivals = Json::array();
  for (const RivalSide& rival : one.rivals) {
    Json json = speed::SideJson(one.engine, rival);
    json["name"] = RivalName(rival.kind);
    json["version"] = rival.version;
    json["sgemm_flops"] = rival.sgemm;
    json["channels_last"] = rival.channels_last;
    json["loss_difference"] = rival.loss_difference;
    if (rival.losses_agree()) json["ratio"] = one.Least(rival) / one.Least();
    rivals.push_back(std::move(json));
  }
  Json json = speed::MeasurementJson(one.engine, settings.machine.speed);
  json["model"] = one.task.model->name;
  json["rivals"] = std::move(rivals);
  return json;
}

std::string Summarize(const std::vector<Comparison>& comparisons) {
  std::string text = absl::StrFormat("\n%-22s %9s %9s %7s %7s %9s", "least ms of a step", "bound",
                                     "engine", "/ bound", "own", "reorders");
  if (comparisons.empty()) return text;
  for (const RivalSide& rival : comparisons.front().rivals)
    absl::StrAppendFormat(&text, " %15s %8s", RivalName(rival.kind), "/ engine");
  text += "\n";
  for (const Comparison& one : comparisons) {
    const double bound_ms = one.engine.bound.total() * kMs, engine = one.Least();
    const speed::StepProfile& profile = one.engine.profile;
    absl::StrAppendFormat(&text, "%-22s %9.2f %9.2f %7.2f %5.0f %% %7.1f %%", TaskName(one),
                          bound_ms, engine, engine / bound_ms, 1e2 * profile.own / profile.total,
                          1e2 * profile.reorder / profile.total);
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
