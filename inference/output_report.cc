#include "inference/output_report.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/limits.h"
#include "inference/class_names.h"
#include "inference/curve_json.h"
#include "nn/conf/label_parts.h"
#include "nn/metrics/agreement.h"
#include "nn/metrics/best_path.h"

namespace dl::inference {
namespace {

// The mean over classes or outputs that have a value.
class Mean {
 public:
  void Add(double value) {
    sum_ += value;
    ++count_;
  }
  void Put(Json& json, const char* key) const {
    if (count_ > 0) json[key] = sum_ / count_;
  }

 private:
  double sum_ = 0;
  int count_ = 0;
};

Json Describe(const nn::BinaryReport& report) {
  Json outputs = Json::array();
  const size_t points = PointsOfCurve(static_cast<size_t>(report.outputs()));
  for (int64_t o = 0; o < report.outputs(); ++o) {
    const nn::BinaryReport::Counts& counts = report.CountsOf(o);
    Json entry = {{"output", o},
                  {"examples", counts.examples},
                  {"accuracy", counts.Accuracy()},
                  {"precision", counts.Precision()},
                  {"recall", counts.Recall()},
                  {"f1", nn::F1(counts.Precision(), counts.Recall())}};
    PutRanking(report.ScoresOfOutput(o), points, entry);
    outputs.push_back(std::move(entry));
  }
  return outputs;
}

// Adds averages over the outputs of a model with several yes/no outputs. "micro": over all answers
// together. "macro": means over the outputs that have a value.
void PutAverages(const nn::BinaryReport& report, const Json& outputs, Json& json) {
  const nn::BinaryReport::Counts all = report.SumOfCounts();
  json["micro_precision"] = all.Precision();
  json["micro_recall"] = all.Recall();
  json["micro_f1"] = nn::F1(all.Precision(), all.Recall());
  json["exact_match"] = report.ExactMatch();
  for (const auto& [figure, average] : {std::pair{"precision", "macro_precision"},
                                        {"recall", "macro_recall"},
                                        {"f1", "macro_f1"},
                                        {"roc_auc", "roc_auc"},
                                        {"average_precision", "average_precision"}}) {
    Mean mean;
    for (const Json& output : outputs) {
      if (output.contains(figure) && output.at("examples") > 0) mean.Add(output.at(figure));
    }
    mean.Put(json, average);
  }
}

// Returns figures in the unit of the data. `units` has a factor for each output.
Json Describe(const nn::NumberReport& report, const std::vector<double>& units) {
  Json outputs = Json::array();
  for (int64_t o = 0; o < report.outputs(); ++o) {
    const double unit = units[o];
    Json entry = {{"output", o},
                  {"mse", report.MeanSquaredError(o) * unit * unit},
                  {"mae", report.MeanAbsoluteError(o) * unit}};
    if (const double r2 = report.R2(o); !std::isnan(r2)) entry["r2"] = r2;
    outputs.push_back(std::move(entry));
  }
  return outputs;
}

}  // namespace

OutputReport::OutputReport(const nn::ModelOutput& output, const nn::LabelForm& form,
                           const dataset::Schema& schema, const Options& options)
    : output_(output),
      cut_(form.owners > 1),
      row_targets_(schema.target_size()),
      judges_steps_(schema.JudgesSteps()),
      judges_pixels_(!judges_steps_ && !schema.label_sequences() &&
                     schema.labels_per_example() > 1),
      top_(options.top),
      max_matrix_classes_(options.max_matrix_classes) {
  if (!output.conf.IsComparedWithLabels()) return;
  const int64_t units = output.conf.units;
  if (output.HasClasses()) {
    if (units <= limits::kMaxConfusionClasses) confused_classes_ = units;
    if (units >= 2) classes_.emplace(units);
    class_names_ = ClassNamesAt(schema, output.first_label);
  } else if (output.HasClassSequences()) {
    sequences_.emplace();
  } else if (std::holds_alternative<nn::BinaryCrossEntropy>(output.conf.loss)) {
    answers_.emplace(units);
  } else {
    numbers_.emplace(units);
    const dataset::TargetScaler scaler(options.target_normalizer);
    for (int64_t o = 0; o < units; ++o) units_.push_back(scaler.UnitOf(output.first_label + o));
  }
}

Status OutputReport::Add(const dataset::Minibatch& batch, std::span<const float> predictions) {
  std::span<const int32_t> labels = batch.classes;
  std::span<const float> targets = batch.targets;
  if (cut_ && output_.label_count > 0) {
    const nn::LabelRows rows{batch.targets, row_targets_};
    if (output_.HasClasses()) {
      labels_.resize(rows.rows());
      DL_RETURN_IF_ERROR(nn::CutClasses(output_, rows, labels_));
    } else {
      targets_.resize(rows.rows() * output_.label_count);
      nn::CutNumbers(output_, rows, targets_);
    }
    labels = labels_;
    targets = targets_;
  }
  if (sequences_) AddSequences(batch, predictions);
  const Rows all{predictions, labels, targets, WeightsOfRows(batch)};
  if (batch.lengths.empty() || !judges_steps_) {
    AddRows(all);
    return absl::OkStatus();
  }
  // Adds only the existing steps of each example.
  const int64_t steps = output_.type.Steps(), units = output_.conf.units;
  const auto part = [&](auto values, int64_t e, int64_t of_step) {
    return values.empty() ? values
                          : values.subspan(e * steps * of_step, batch.lengths[e] * of_step);
  };
  for (int64_t e = 0; e < batch.examples; ++e) {
    AddRows({part(predictions, e, units), part(labels, e, 1), part(targets, e, output_.label_count),
             part(all.weights, e, 1)});
  }
  return absl::OkStatus();
}

std::span<const float> OutputReport::WeightsOfRows(const dataset::Minibatch& batch) {
  const int64_t steps = output_.type.Steps();
  if (steps == 1 || batch.weights.empty()) return batch.weights;
  weights_.clear();
  for (const float weight : batch.weights) weights_.insert(weights_.end(), steps, weight);
  return weights_;
}

void OutputReport::AddRows(const Rows& rows) {
  if (classes_) classes_->Add(rows.predictions, rows.labels, rows.weights);
  if (answers_) answers_->Add(rows.predictions, rows.targets, rows.weights);
  if (numbers_) numbers_->Add(rows.predictions, rows.targets, rows.weights);
}

void OutputReport::AddSequences(const dataset::Minibatch& batch,
                                std::span<const float> predictions) {
  const auto examples = static_cast<size_t>(batch.examples);
  const size_t labels = batch.classes.size() / examples, values = predictions.size() / examples;
  const int64_t width = output_.conf.units;
  for (size_t e = 0; e < examples; ++e) {
    const size_t own =
        batch.lengths.empty() ? values : output_.type.StepsOf(batch.lengths[e]) * width;
    sequences_->Add(nn::BestPath(predictions.subspan(e * values, own), width),
                    nn::SequenceOf(batch.classes.subspan(e * labels, labels)));
  }
}

Json OutputReport::ToJson(const nn::MetricSums& sums) const {
  Json json = {{"examples", sums.examples()}, {"loss", sums.loss()}};
  if (sums.has_accuracy()) json["accuracy"] = sums.accuracy();
  if (classes_) DescribeClasses(*classes_, sums, json);
  if (answers_) {
    json["outputs"] = Describe(*answers_);
    if (answers_->outputs() > 1) PutAverages(*answers_, json["outputs"], json);
  }
  if (numbers_) json["outputs"] = Describe(*numbers_, units_);
  if (sequences_ && sequences_->has_labels())
    json["label_error_rate"] = sequences_->LabelErrorRate();
  if ((classes_ && !classes_->keeps_scores()) || (answers_ && !answers_->keeps_scores()))
    json["ranks_nothing_above"] = nn::ClassReport::kMaxScores;
  return json;
}

Json OutputReport::DescribeClass(const nn::MetricSums& sums, int64_t c, int64_t examples) const {
  const double precision = sums.Precision(c), recall = sums.Recall(c);
  Json entry = {{"class", ClassNameOf(class_names_, c)},
                {"class_number", c},
                {"examples", examples},
                {"precision", precision},
                {"recall", recall},
                {"f1", nn::F1(precision, recall)}};
  return entry;
}

void OutputReport::DescribeClasses(const nn::ClassReport& report, const nn::MetricSums& sums,
                                   Json& json) const {
  if (!report.has_figures()) return;
  json["log_loss"] = report.log_loss();
  json["brier"] = report.brier();
  if (judges_steps_) json["perplexity"] = std::exp(report.log_loss());
  // Rounding may make the largest probability equal to others. The predicted class, which accuracy
  // uses, always counts among the first.
  if (output_.conf.units > top_) {
    json[absl::StrCat("top_", top_, "_accuracy")] =
        std::max(report.TopAccuracy(top_), sums.accuracy());
  }
  const int64_t n = sums.classes();
  if (n == 0) return;

  const nn::Agreement agreement = nn::AgreementOf(sums);
  json["macro_precision"] = agreement.macro_precision;
  json["macro_recall"] = agreement.macro_recall;
  json["macro_f1"] = agreement.macro_f1;
  if (judges_pixels_) json["mean_iou"] = agreement.mean_iou;
  json["kappa"] = agreement.kappa;
  json["mcc"] = agreement.mcc;
  // Classes that occur neither as a label nor as a prediction are left out.
  std::vector<int64_t> labelled(n), predicted(n), occurring;
  for (int64_t c = 0; c < n; ++c) {
    for (int64_t p = 0; p < n; ++p) {
      labelled[c] += sums.Confused(c, p);
      predicted[p] += sums.Confused(c, p);
    }
  }
  for (int64_t c = 0; c < n; ++c)
    if (labelled[c] + predicted[c] > 0) occurring.push_back(c);
  Json matrix = Json::array(), classes = Json::array();
  Mean roc_auc, average_precision;
  const size_t points = PointsOfCurve(n == 2 ? 1 : occurring.size());
  const bool has_matrix = std::ssize(occurring) <= max_matrix_classes_;
  for (const int64_t c : occurring) {
    Json row = Json::array();
    for (size_t i = 0; has_matrix && i < occurring.size(); ++i)
      row.push_back(sums.Confused(c, occurring[i]));
    if (has_matrix) matrix.push_back(std::move(row));
    Json entry = DescribeClass(sums, c, labelled[c]);
    // With two classes, only the second one counts, as if the labels were 0 and 1.
    const bool counts = n != 2 || c == 1;
    const std::optional<nn::Ranking> ranking =
        PutRanking(report.ScoresOfClass(c), counts ? points : 0, entry);
    if (ranking && counts) {
      roc_auc.Add(ranking->roc_auc);
      average_precision.Add(ranking->average_precision);
    }
    classes.push_back(std::move(entry));
  }
  roc_auc.Put(json, "roc_auc");
  average_precision.Put(json, "average_precision");
  if (has_matrix) json["confusion"] = std::move(matrix);
  json["classes"] = std::move(classes);
}

}  // namespace dl::inference
