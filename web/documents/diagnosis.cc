#include "web/documents/diagnosis.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json.h"
#include "base/limits.h"
#include "rpc/client_messages.h"

namespace dl::web {
namespace {

constexpr char kSeries[] = "train/loss,test/loss,unit_seconds/*";
constexpr char kSeriesOfLayers[] = "layer/*/drift,layer/*/size,layer/*/change";
// Most points of a curve. A longer curve has a quarter of the points, or fewer, so each curve of at
// least kMinLosses rounds has kMinLosses points. The curves of 200 layers are within the
// limit of an answer.
constexpr int64_t kPoints = 32;
constexpr size_t kMinLosses = 8;
constexpr double kMuchDrift = 2;
constexpr double kHealthyLow = 0.0003, kHealthyHigh = 0.003;
// Changes beyond these shares are findings. Changes nearer to the healthy band also occur in good
// runs, for example at the end with a small learning rate.
constexpr double kTooSlow = 0.000003, kTooFast = 0.03;
constexpr size_t kMostLayers = 3;                            // that are named
constexpr double kMuchWaiting = 0.25, kMostlyWaiting = 0.5;  // of the time of units
constexpr size_t kRisingEvaluations = 3;
constexpr double kRise = 1.02;                // of the test loss since its smallest value
constexpr double kStillFalls = 0.95;          // of the training loss, last eighth by the one before
constexpr double kDiverged = 10;              // largest training loss by the first one
constexpr double kConverged = 0.01;           // training loss at the end by the first one
constexpr int64_t kFewestUnits = 8;           // of an executor that is judged
constexpr double kMoreWaiting = 0.15;         // of an executor's time, beyond that of all units
constexpr double kSlow = 1.5, kVerySlow = 2;  // time of an executor's units by that of the others'
constexpr size_t kMostExecutors = 3;          // that are named for one reason
constexpr int64_t kMaxAgeMs = 1000;           // of the state of the job

struct Value {
  int64_t round = 0;
  double value = 0;
};

struct Curve {
  std::string name;
  std::vector<Value> values;
};

// Returns the curves of an answer with the values that exist and their last rounds.
std::vector<Curve> CurvesOf(const Json& series) {
  std::vector<Curve> curves;
  for (const Json& json : series.value("curves", Json::array())) {
    Curve& curve = curves.emplace_back(Curve{.name = json.value("name", "")});
    const auto first = json.value("first", int64_t{1}), step = json.value("step", int64_t{1});
    const Json means = json.value("mean", Json::array());
    for (size_t i = 0; i < means.size(); ++i) {
      if (!means[i].is_number()) continue;
      const int64_t round = first + (static_cast<int64_t>(i) + 1) * step - 1;
      curve.values.push_back({.round = round, .value = means[i].get<double>()});
    }
  }
  return curves;
}

// Returns the values of the curve with this name; none if there is no such curve.
std::vector<Value> ValuesOf(const std::vector<Curve>& curves, std::string_view name) {
  const auto found = std::ranges::find(curves, name, &Curve::name);
  return found == curves.end() ? std::vector<Value>() : found->values;
}

// Returns the layer in the name of a curve "layer/LAYER/FIGURE", or "" for another name.
std::string LayerOf(std::string_view name, std::string_view figure) {
  constexpr std::string_view kBegin = "layer/";
  if (!name.starts_with(kBegin) || !name.ends_with(figure)) return "";
  return std::string(name.substr(kBegin.size(), name.size() - kBegin.size() - figure.size()));
}

double MedianOf(std::vector<Value> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle, {}, &Value::value);
  return middle->value;
}

// Returns the mean of the values from share `from` to share `to` of the list.
double MeanOf(const std::vector<Value>& values, double from, double to) {
  const auto size = static_cast<double>(values.size());
  const auto first = static_cast<size_t>(from * size), last = static_cast<size_t>(to * size);
  double sum = 0;
  for (size_t i = first; i < last; ++i) sum += values[i].value;
  return sum / static_cast<double>(std::max<size_t>(1, last - first));
}

struct Findings {
  Json list = Json::array();
  void Add(std::string_view severity, std::string sentence) {
    list.push_back({{"severity", severity}, {"sentence", std::move(sentence)}});
  }
};

void JudgeDrift(const std::vector<Curve>& curves, int64_t averaging_frequency, Findings& findings) {
  std::string layer;
  double most = 0;
  for (const Curve& curve : curves) {
    const std::string of = LayerOf(curve.name, "/drift");
    if (of.empty() || curve.values.empty()) continue;
    const double drift = MedianOf(curve.values);
    if (drift <= most) continue;
    most = drift;
    layer = of;
  }
  if (layer.empty()) return;
  const std::string measured = absl::StrFormat(
      "The workers differ by %.2g times the step of the round, most in %s.", most, layer);
  if (most <= kMuchDrift) {
    findings.Add("good", measured);
    return;
  }
  findings.Add("warning", absl::StrCat(measured, " The averaging frequency ", averaging_frequency,
                                       " is probably too large; try ",
                                       std::max<int64_t>(1, averaging_frequency / 4), "."));
}

// A layer, and the mean change of its parameters in a round divided by their mean size.
struct LayerChange {
  std::string layer;
  double share = 0;
};

std::vector<LayerChange> ChangesOf(const std::vector<Curve>& curves) {
  std::vector<LayerChange> changes;
  for (const Curve& curve : curves) {
    const std::string layer = LayerOf(curve.name, "/change");
    if (layer.empty()) continue;
    const std::vector<Value> size = ValuesOf(curves, absl::StrCat("layer/", layer, "/size"));
    if (curve.values.empty() || size.empty()) continue;
    const double mean_size = MeanOf(size, 0.75, 1);
    if (mean_size > 0) changes.push_back({layer, MeanOf(curve.values, 0.75, 1) / mean_size});
  }
  return changes;
}

// Names the first layers, and counts the others.
void AddLayers(const std::vector<LayerChange>& layers, std::string_view severity,
               std::string_view advice, Findings& findings) {
  for (size_t i = 0; i < std::min(layers.size(), kMostLayers); ++i) {
    findings.Add(severity, absl::StrFormat("%s changes by %.2g of its size per round. The healthy "
                                           "band is %g to %g. %s",
                                           layers[i].layer, layers[i].share, kHealthyLow,
                                           kHealthyHigh, std::string(advice)));
  }
  if (layers.size() > kMostLayers)
    findings.Add(severity,
                 absl::StrCat(layers.size() - kMostLayers, " more layers are like this."));
}

// Names layers that change too much and, if `slow_counts`, layers that hardly change.
void JudgeLayers(const std::vector<Curve>& curves, bool slow_counts, Findings& findings) {
  std::vector<LayerChange> fast, slow;
  for (LayerChange& change : ChangesOf(curves)) {
    if (change.share > kTooFast) {
      fast.push_back(std::move(change));
    } else if (change.share > 0 && change.share < kTooSlow) {
      slow.push_back(std::move(change));  // frozen layers do not change at all
    }
  }
  std::ranges::sort(fast, std::ranges::greater{}, &LayerChange::share);
  std::ranges::sort(slow, {}, &LayerChange::share);
  AddLayers(fast, "warning", "The learning rate is probably too high.", findings);
  if (slow_counts && fast.empty())
    AddLayers(slow, "note", "It hardly learns; the learning rate may be too low.", findings);
}

// A kind of time that units wait.
struct Wait {
  std::string_view series, what, advice;
  double ExecutorTimes::*share;
};
constexpr Wait kWaits[] = {
    {"unit_seconds/data_wait", "data",
     "A larger training.prefetch_batches or faster disks may help.", &ExecutorTimes::data_wait},
    {"unit_seconds/state_wait", "the state of the round",
     "With a larger averaging frequency, states are sent less often.", &ExecutorTimes::state_wait}};

// Names executors that wait much longer than all units together, which wait for `share`.
void JudgeWaitsOfExecutors(const Wait& wait, double share,
                           const std::vector<ExecutorTimes>& executors, Findings& findings) {
  std::vector<const ExecutorTimes*> waiting;
  for (const ExecutorTimes& one : executors)
    if (one.units >= kFewestUnits &&
        one.*wait.share >= std::max(kMuchWaiting, share + kMoreWaiting))
      waiting.push_back(&one);
  std::ranges::sort(waiting, std::ranges::greater{},
                    [&](const ExecutorTimes* one) { return one->*wait.share; });
  for (size_t i = 0; i < std::min(waiting.size(), kMostExecutors); ++i) {
    const double own = waiting[i]->*wait.share;
    findings.Add(
        own < kMostlyWaiting ? "note" : "warning",
        absl::StrFormat("Executor %s waits %.0f %% of its time for %s. %s", waiting[i]->executor,
                        100 * own, std::string(wait.what), std::string(wait.advice)));
  }
}

void JudgeWaits(const std::vector<Curve>& curves, const std::vector<ExecutorTimes>& executors,
                Findings& findings) {
  const std::vector<Value> total = ValuesOf(curves, "unit_seconds/total");
  for (const Wait& wait : kWaits) {
    const std::vector<Value> seconds = ValuesOf(curves, wait.series);
    double share = 0;
    if (!total.empty() && !seconds.empty() && MeanOf(total, 0.75, 1) > 0)
      share = MeanOf(seconds, 0.75, 1) / MeanOf(total, 0.75, 1);
    if (share >= kMuchWaiting) {
      findings.Add(share < kMostlyWaiting ? "note" : "warning",
                   absl::StrFormat("Units wait %.0f %% of their time for %s. %s", 100 * share,
                                   std::string(wait.what), std::string(wait.advice)));
    }
    JudgeWaitsOfExecutors(wait, share, executors, findings);
  }
}

void JudgeSlowExecutors(const std::vector<ExecutorTimes>& executors, Findings& findings) {
  std::vector<const ExecutorTimes*> slow;
  for (const ExecutorTimes& one : executors)
    if (one.units >= kFewestUnits && one.relative >= kSlow) slow.push_back(&one);
  std::ranges::sort(slow, std::ranges::greater{},
                    [](const ExecutorTimes* one) { return one->relative; });
  for (size_t i = 0; i < std::min(slow.size(), kMostExecutors); ++i) {
    findings.Add(slow[i]->relative < kVerySlow ? "note" : "warning",
                 absl::StrFormat("Executor %s takes %.1f times as long for a unit as the others. "
                                 "Its machine may be slower, or other programs use its cores.",
                                 slow[i]->executor, slow[i]->relative));
  }
}

// The course of a job by its losses.
enum class Course { kFine, kOverfits, kDoesNotFall, kDiverged };

void AddNotFinite(Findings& findings) {
  findings.Add("problem",
               "A loss or a parameter was not a finite number, so the job failed. Try a smaller "
               "learning rate or gradient clipping, and look for very large values in the data.");
}

// REQUIRES: there are at least kMinLosses losses.
bool Diverges(const std::vector<Value>& losses) {
  const double first = losses.front().value;
  const double largest = std::ranges::max_element(losses, {}, &Value::value)->value;
  return first > 0 && largest >= kDiverged * first && MeanOf(losses, 0.875, 1) > first;
}

// Returns the round of the smallest test loss if the test loss has risen since; 0 otherwise.
int64_t OverfitsSince(const std::vector<Value>& test) {
  if (test.size() <= kRisingEvaluations) return 0;
  const auto best = std::ranges::min_element(test, {}, &Value::value);
  const auto after = static_cast<size_t>(test.end() - best) - 1;
  const bool rises =
      after >= kRisingEvaluations && best->value > 0 && test.back().value >= kRise * best->value;
  return rises ? best->round : 0;
}

Course JudgeLosses(const std::vector<Value>& training, const std::vector<Value>& test,
                   const DiagnosedJob& job, Findings& findings) {
  if (Diverges(training)) {
    findings.Add("problem",
                 absl::StrFormat("The training loss has diverged: %.4g at first, then up to %.4g. "
                                 "Try a smaller learning rate or gradient clipping.",
                                 training.front().value,
                                 std::ranges::max_element(training, {}, &Value::value)->value));
    return Course::kDiverged;
  }
  const double begin = MeanOf(training, 0, 0.25), end = MeanOf(training, 0.75, 1);
  if (end >= begin) {
    findings.Add("problem", absl::StrFormat(
                                "The training loss does not fall: %.4g in the first quarter of the "
                                "rounds, %.4g in the last. Try another learning rate.",
                                begin, end));
    return Course::kDoesNotFall;
  }
  if (const int64_t round = OverfitsSince(test); round > 0) {
    const double best = std::ranges::min_element(test, {}, &Value::value)->value;
    findings.Add(
        "warning",
        absl::StrFormat("The test loss was lowest near round %d and is about %.0f %% higher "
                        "now. The job overfits; early stopping or weight decay may help.",
                        round, 100 * (test.back().value / best - 1)));
    return Course::kOverfits;
  }
  const double before = MeanOf(training, 0.75, 0.875), last = MeanOf(training, 0.875, 1);
  const bool is_complete = job.state == "SUCCEEDED" && job.reason != "early_stopping";
  if (is_complete && last > 0 && last < kStillFalls * before)
    findings.Add("note", "The training loss still falls. More epochs may improve the result.");
  return Course::kFine;
}

int Rank(const Json& finding) {
  const std::string severity = finding["severity"];
  return severity == "problem" ? 0 : severity == "warning" ? 1 : severity == "note" ? 2 : 3;
}

}  // namespace

Json Diagnosis(const Json& series, const DiagnosedJob& job) {
  Findings findings;
  const std::vector<Curve> curves = CurvesOf(series);
  const std::vector<Value> training = ValuesOf(curves, "train/loss");
  const bool is_not_finite = job.reason == "not_finite";
  if (is_not_finite) AddNotFinite(findings);
  if (training.size() >= kMinLosses) {
    const Course course = is_not_finite
                              ? Course::kDiverged
                              : JudgeLosses(training, ValuesOf(curves, "test/loss"), job, findings);
    const bool converged = MeanOf(training, 0.75, 1) < kConverged * training.front().value;
    const bool may_learn_more = course == Course::kFine || course == Course::kDoesNotFall;
    JudgeLayers(curves, may_learn_more && !converged, findings);
    JudgeDrift(curves, job.averaging_frequency, findings);
    JudgeWaits(curves, job.executors, findings);
    JudgeSlowExecutors(job.executors, findings);
  }
  std::vector<Json> sorted = std::move(findings.list);
  std::ranges::stable_sort(sorted, {}, Rank);
  return {{"findings", std::move(sorted)}};
}

StatusOr<Json> ReadDiagnosis(rpc::ClientService& master, const std::string& job) {
  const auto read = [&](rpc::QueryRequest query) -> StatusOr<Json> {
    query.job = job;
    DL_ASSIGN_OR_RETURN(const rpc::QueryReply reply, master.Query(query, limits::kControlDeadline));
    return ParseJson(reply.json, job);
  };
  const auto read_series = [&](std::string series) {
    return read(
        {.what = rpc::QueryKind::kSeries, .series = std::move(series), .max_entries = kPoints});
  };
  StatusOr<Json> series = read_series(absl::StrCat(kSeries, ",", kSeriesOfLayers));
  // More layers than an answer has room for: their findings are left out.
  if (absl::IsInvalidArgument(series.status())) series = read_series(kSeries);
  DL_RETURN_IF_ERROR(series.status());
  DL_ASSIGN_OR_RETURN(const Json spec, read({.what = rpc::QueryKind::kSpec}));
  DL_ASSIGN_OR_RETURN(const Json document,
                      read({.what = rpc::QueryKind::kJob, .max_age_ms = kMaxAgeMs}));
  DiagnosedJob diagnosed{
      .averaging_frequency =
          spec.value("training", Json::object()).value("averaging_frequency", int64_t{1}),
      .state = document.value("state", ""),
      .reason = document.value("reason", "")};
  DL_ASSIGN_OR_RETURN(diagnosed.executors,
                      ReadExecutorTimes(master, job, document.value("workers", int64_t{1})));
  Json diagnosis = Diagnosis(*series, diagnosed);
  diagnosis["executors"] = ToJson(diagnosed.executors);
  return diagnosis;
}

}  // namespace dl::web
