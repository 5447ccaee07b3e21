#include "launch/evaluation_report.h"

#include <cmath>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/limits.h"
#include "nn/metrics/agreement.h"

namespace dl::launch {
namespace {

constexpr int64_t kTop = 5;

// The mean of what some classes have.
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

void PutRanking(const std::optional<nn::Ranking>& ranking, Json& entry) {
  if (!ranking) return;
  entry["roc_auc"] = ranking->roc_auc;
  entry["average_precision"] = ranking->average_precision;
}

Json Describe(const nn::BinaryReport& report) {
  Json outputs = Json::array();
  for (int64_t o = 0; o < report.outputs(); ++o) {
    const nn::BinaryReport::Counts& counts = report.CountsOf(o);
    Json entry = {{"output", o},
                  {"examples", counts.examples()},
                  {"accuracy", counts.Accuracy()},
                  {"precision", counts.Precision()},
                  {"recall", counts.Recall()},
                  {"f1", nn::F1(counts.Precision(), counts.Recall())}};
    PutRanking(report.RankingOfOutput(o), entry);
    outputs.push_back(std::move(entry));
  }
  return outputs;
}

Json Describe(const nn::NumberReport& report) {
  Json outputs = Json::array();
  for (int64_t o = 0; o < report.outputs(); ++o) {
    Json entry = {
        {"output", o}, {"mse", report.MeanSquaredError(o)}, {"mae", report.MeanAbsoluteError(o)}};
    if (const double r2 = report.R2(o); !std::isnan(r2)) entry["r2"] = r2;
    outputs.push_back(std::move(entry));
  }
  return outputs;
}

}  // namespace

EvaluationReport::EvaluationReport(const nn::Output& output, const dataset::Schema& schema)
    : class_names_(schema.class_names),
      judges_steps_(schema.JudgesSteps()),
      judges_pixels_(!judges_steps_ && schema.labels_per_example > 1) {
  if (output.compared_with == nn::ComparedWith::kInput) return;
  if (nn::PredictsClasses(output.loss)) {
    if (schema.classes <= limits::kMaxConfusionClasses) sums_.EnableConfusion(schema.classes);
    if (schema.classes >= 2) classes_.emplace(schema.classes);
  } else if (std::holds_alternative<nn::BinaryCrossEntropy>(output.loss)) {
    answers_.emplace(schema.target_size);
  } else {
    numbers_.emplace(schema.target_size);
  }
}

void EvaluationReport::Add(const dataset::Minibatch& batch, std::span<const float> predictions) {
  if (classes_) classes_->Add(predictions, batch.classes);
  if (answers_) answers_->Add(predictions, batch.targets);
  if (numbers_) numbers_->Add(predictions, batch.targets);
}

Json EvaluationReport::ToJson() const {
  Json json = {{"examples", sums_.examples()}, {"loss", sums_.loss()}};
  if (sums_.has_accuracy()) json["accuracy"] = sums_.accuracy();
  if (classes_) DescribeClasses(*classes_, json);
  if (answers_) json["outputs"] = Describe(*answers_);
  if (numbers_) json["outputs"] = Describe(*numbers_);
  return json;
}

void EvaluationReport::DescribeClasses(const nn::ClassReport& report, Json& json) const {
  json["log_loss"] = report.log_loss();
  json["brier"] = report.brier();
  if (judges_steps_) json["perplexity"] = std::exp(report.log_loss());
  const int64_t n = sums_.classes();
  if (n > kTop) json[absl::StrCat("top_", kTop, "_accuracy")] = report.TopAccuracy(kTop);
  if (n == 0) return;

  const nn::Agreement agreement = nn::AgreementOf(sums_);
  json["macro_precision"] = agreement.macro_precision;
  json["macro_recall"] = agreement.macro_recall;
  json["macro_f1"] = agreement.macro_f1;
  if (judges_pixels_) json["mean_iou"] = agreement.mean_iou;
  json["kappa"] = agreement.kappa;
  json["mcc"] = agreement.mcc;
  Json matrix = Json::array(), classes = Json::array();
  Mean roc_auc, average_precision;
  for (int64_t c = 0; c < n; ++c) {
    std::vector<int64_t> row(n);
    for (int64_t p = 0; p < n; ++p) row[p] = sums_.Confused(c, p);
    const int64_t examples = std::accumulate(row.begin(), row.end(), int64_t{0});
    matrix.push_back(std::move(row));
    const double precision = sums_.Precision(c), recall = sums_.Recall(c);
    Json entry = {{"class", c},
                  {"examples", examples},
                  {"precision", precision},
                  {"recall", recall},
                  {"f1", nn::F1(precision, recall)}};
    const std::optional<nn::Ranking> ranking = report.RankingOfClass(c);
    PutRanking(ranking, entry);
    // Of two classes one is the positive: the second, as where its labels are 0 and 1.
    if (ranking && (n != 2 || c == 1)) {
      roc_auc.Add(ranking->roc_auc);
      average_precision.Add(ranking->average_precision);
    }
    if (c < static_cast<int64_t>(class_names_.size())) entry["name"] = class_names_[c];
    classes.push_back(std::move(entry));
  }
  roc_auc.Put(json, "roc_auc");
  average_precision.Put(json, "average_precision");
  json["confusion"] = std::move(matrix);
  json["classes"] = std::move(classes);
}

}  // namespace dl::launch
