#include "master/core/machine/round_series.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "averaging/layer_statistics.h"
#include "base/system_error.h"
#include "dataset/plan.h"
#include "job/measured_unit.h"
#include "master/core/job/class_series.h"
#include "nn/metrics/agreement.h"
#include "storage/series/histogram_records.h"
#include "storage/series/series_records.h"
#include "storage/series/value_packing.h"

namespace dl::master {
namespace {

using storage::RoundRow;

// Figures of each layer, in the order of LayerValues.
constexpr std::array kSeriesOfLayer = {"size", "change", "change_norm", "drift"};
// Figures of each class.
constexpr std::array kSeriesOfClass = {"precision", "recall", "f1"};
static_assert(averaging::kMaxMeasuredLayers * kSeriesOfLayer.size() +
                  kMostClassesInSeries * kSeriesOfClass.size() + 64 <=
              storage::kMaxSeries);

std::array<double, kSeriesOfLayer.size()> LayerValues(const averaging::LayerStatistics& layer) {
  return {layer.size, layer.change, layer.change_norm, layer.drift};
}

}  // namespace

class RoundSeries::Row {
 public:
  explicit Row(JobSeries& series) : series_(series) {}

  // Adds a value with full precision. Ignores a value that is no number, and a new series beyond
  // the limit.
  void Add(std::string_view name, double value) {
    AddTo(IndexOf(name, false), static_cast<float>(value));
  }
  // Adds a value with about three digits.
  void AddShort(std::string_view name, double value) { AddShortTo(IndexOf(name, true), value); }
  void AddShortTo(std::optional<int32_t> series, double value) {
    AddTo(series, storage::RoundToShort(static_cast<float>(value)));
  }
  // Returns the index of the series, which is added if it is new; nullopt at the limit.
  std::optional<int32_t> IndexOf(std::string_view name, bool is_short) {
    if (const auto found = series_.index.find(name); found != series_.index.end())
      return found->second;
    const auto next = static_cast<int32_t>(series_.columns.columns.size());
    if (next == storage::kMaxSeries) return std::nullopt;
    series_.columns.columns.push_back({std::string(name), is_short});
    series_.index.emplace(name, next);
    has_new_series_ = true;
    return next;
  }

  bool has_new_series() const { return has_new_series_; }
  std::vector<RoundRow::Value> Take() && {
    std::ranges::sort(values_, {}, &RoundRow::Value::series);
    return std::move(values_);
  }

 private:
  void AddTo(std::optional<int32_t> series, float value) {
    if (series && storage::HasValue(value)) values_.push_back({*series, value});
  }

  JobSeries& series_;
  std::vector<RoundRow::Value> values_;
  bool has_new_series_ = false;
};

void RoundSeries::RecordRound(Job& job, const ClosedRound& round) {
  if (job.series.failed || !incarnation_.options.records_history) return;
  Row row(job.series);
  const MetricsView metrics = MakeMetricsView(round.metrics);
  row.Add("train/loss", metrics.loss);
  if (metrics.accuracy) row.Add("train/accuracy", *metrics.accuracy);
  const int64_t number = round.commit.round;
  const JobDefinition& definition = job.definition;
  row.Add("learning_rate", nn::RateAt(definition.learning_rate,
                                      dataset::LocateRound(definition.plan, number - 1).first_step,
                                      definition.length, round.commit.plateaus));
  const double seconds = Seconds(step_.now - job.series.opened);
  row.AddShort("round_seconds", seconds);
  if (seconds > 0)
    row.AddShort("examples_per_second", static_cast<double>(round.examples) / seconds);
  row.AddShort("bytes/fetched", static_cast<double>(round.merged.traffic.fetched));
  row.AddShort("bytes/contributed", static_cast<double>(round.merged.traffic.contributed));
  AddUnitTimes(job, row);
  AddLayers(job, round.merged, row);
  const bool was_empty = job.series.of_rounds == 0;
  const bool rolled_back = number <= job.series.of_rounds;
  job.series.of_rounds = number;
  Persist(job, round.commit.place, {.round = number}, std::move(row));
  RecordHistograms(job, round.merged);
  if (was_empty || rolled_back || number % storage::kBlockRounds == 0) RequestFold(job);
}

// Sums over the computations of the round's units, also those that another executor repeated.
void RoundSeries::AddUnitTimes(const Job& job, Row& row) {
  Duration total{}, sending{};
  UnitTimes times;
  for (const auto& [worker, unit] : job.units) {
    for (const UnitRun& run : unit.runs) {
      if (!run.has_result) continue;
      total += run.ended - run.leased;
      times.computing += run.times.computing;
      times.data_wait += run.times.data_wait;
      times.state_wait += run.times.state_wait;
      sending += run.sending;
    }
  }
  row.AddShort("unit_seconds/total", Seconds(total));
  row.AddShort("unit_seconds/computing", Seconds(times.computing));
  row.AddShort("unit_seconds/data_wait", Seconds(times.data_wait));
  row.AddShort("unit_seconds/state_wait", Seconds(times.state_wait));
  row.AddShort("unit_seconds/sending", Seconds(sending));
}

void RoundSeries::AddLayers(Job& job, const RoundMerged& merged, Row& row) {
  JobSeries& series = job.series;
  if (merged.layers.empty()) return;  // not measured
  const size_t wanted = merged.layers.size() * kSeriesOfLayer.size();
  if (series.of_layers.empty()) {
    const auto layers = averaging::LayersOf(job.definition.strategy->layout().model().table);
    if (layers.size() != merged.layers.size()) return;  // of another model
    for (const averaging::ModelLayer& layer : layers) {
      for (const char* figure : kSeriesOfLayer) {
        const auto index = row.IndexOf(absl::StrCat("layer/", layer.name, "/", figure), true);
        series.of_layers.push_back(index.value_or(-1));
      }
    }
  }
  if (series.of_layers.size() != wanted) return;
  auto next = series.of_layers.begin();
  for (const averaging::LayerStatistics& layer : merged.layers) {
    for (const double value : LayerValues(layer)) row.AddShortTo(*next++, value);
  }
}

void RoundSeries::RecordHistograms(const Job& job, const RoundMerged& merged) {
  const int64_t every = job.definition.histograms_every;
  if (merged.parameter_histograms.empty() || !job::RecordsHistograms(every, merged.round)) return;
  const auto measured = job.units.find(0);
  const std::string activations =
      measured == job.units.end() ? std::string() : *measured->second.result.activations;
  storage::RecordHistograms(job.definition.id, every, merged.round,
                            {merged.parameter_histograms, merged.change_histograms, activations},
                            step_.batch());
}

void RoundSeries::AddClasses(const Job& job, const nn::MetricSums& test, Row& row) {
  const std::vector<std::string>& labels = job.definition.class_series;
  if (labels.empty() || test.classes() != std::ssize(labels)) return;
  const std::vector<nn::ClassFigures> figures = nn::FiguresByClass(test);
  for (size_t c = 0; c < labels.size(); ++c) {
    const std::array values = {figures[c].precision, figures[c].recall, figures[c].f1};
    for (size_t i = 0; i < values.size(); ++i)
      row.Add(absl::StrCat("class/", labels[c], "/", kSeriesOfClass[i]), values[i]);
  }
}

void RoundSeries::RecordEvaluation(Job& job, const LogRecord& evaluation,
                                   const std::map<std::string, double>& figures) {
  if (job.series.failed || !incarnation_.options.records_history) return;
  Row row(job.series);
  const MetricsView test = MakeMetricsView(evaluation.test);
  row.Add("test/loss", test.loss);
  if (test.accuracy) row.Add("test/accuracy", *test.accuracy);
  for (const auto& [name, value] : figures) row.Add(absl::StrCat("test/", name), value);
  AddClasses(job, evaluation.test, row);
  Persist(job, evaluation.place, {.round = evaluation.round, .is_addition = true}, std::move(row));
}

void RoundSeries::Persist(Job& job, int64_t place, RoundRow row, Row values) {
  const std::string& id = job.definition.id;
  if (values.has_new_series())
    step_.batch().Put(storage::series_keys::Columns(id), RecordText(job.series.columns));
  row.values = std::move(values).Take();
  step_.batch().Put(storage::series_keys::Row(id, place), storage::EncodeRow(row));
}

void RoundSeries::RequestFold(Job& job) {
  if (job.series.folding != 0) return;
  job.series.folding = next_++;
  step_.Do(FoldSeries{.job = job.definition.id, .number = job.series.folding});
}

void RoundSeries::On(const SeriesFolded& event) {
  Job* job = jobs_.Find(event.job);
  if (job == nullptr || event.number != job->series.folding) return;
  job->series.folding = 0;
  if (event.status.ok()) return step_.batch().Append(event.batch);
  if (IsShortage(event.status)) return;  // tried again after more rounds
  job->series.failed = true;
  step_.Warn(*job, absl::StrCat("the figures of rounds are damaged, so no more are recorded: ",
                                DescribeError(event.status)));
}

}  // namespace dl::master
