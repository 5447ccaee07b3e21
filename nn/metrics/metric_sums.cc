#include "nn/metrics/metric_sums.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/limits.h"

namespace dl::nn {
namespace {

constexpr double kMostAdditions = 1 << 10;  // of losses and penalties to one example

double Quotient(double part, double whole) { return whole == 0 ? 0.0 : part / whole; }

bool AddChecked(int64_t& sum, int64_t value) { return !__builtin_add_overflow(sum, value, &sum); }

}  // namespace

bool MetricSums::ReadConfusion(const std::vector<int64_t>& entries, int64_t classes,
                               int64_t predictions, std::vector<Entry>& out) {
  if (entries.size() % 3 != 0) return false;
  out.reserve(entries.size() / 3);
  for (size_t i = 0; i < entries.size(); i += 3) {
    const int64_t label = entries[i], predicted = entries[i + 1], count = entries[i + 2];
    if (label >= classes || predicted >= classes || count < 1 || count > predictions) return false;
    const int64_t cell = label * classes + predicted;
    if (!out.empty() && cell <= out.back().cell) return false;
    out.push_back({cell, count});
    predictions -= count;
  }
  return true;
}

void MetricSums::EnableConfusion(int64_t classes) {
  DL_CHECK(classes >= 0);
  classes_ = classes;
  confusion_.clear();
  if (weights_) weights_.emplace(classes);
}

void MetricSums::DropFigures() {
  numbers_.reset();
  scores_.reset();
  if (weights_) weights_->DropClasses();
  classes_ = 0;
  confusion_.clear();
}

void MetricSums::Clear() {
  examples_ = correct_ = predictions_ = non_finite_ = 0;
  loss_sum_ = {};
  confusion_.clear();
  if (numbers_) EnableNumbers(numbers_->outputs());
  if (scores_) EnableScores(scores_->outputs());
  if (weights_) weights_.emplace(classes_);
}

PredictionWeights MetricSums::WeightsOrOnes() const {
  if (weights_) return *weights_;
  if (classes_ == 0) return PredictionWeights::Ones(predictions_, correct_);
  PredictionWeights ones(classes_);
  VisitConfusion([&](int64_t label, int64_t predicted, int64_t count) {
    ones.Add(label, predicted, static_cast<double>(count));
  });
  return ones;
}

void MetricSums::EnableWeights() {
  if (weights_) return;
  weights_ = WeightsOrOnes();
  if (scores_) scores_->CountWeights();
}

bool MetricSums::IsFinite(double loss) {
  return loss <= std::numeric_limits<double>::max() &&
         loss >= std::numeric_limits<double>::lowest();
}

void MetricSums::AddLoss(double loss) {
  ++examples_;
  if (IsFinite(loss)) {
    loss_sum_.Add(loss);
  } else {
    ++non_finite_;
  }
}

void MetricSums::AddPenalty(double loss) {
  if (IsFinite(loss)) {
    loss_sum_.Add(loss);
  } else if (non_finite_ < examples_) {
    ++non_finite_;
  }
}

void MetricSums::AddPrediction(int64_t label, int64_t predicted, double weight) {
  DL_CHECK(weights_ || weight == 1);
  if (weights_) weights_->Add(label, predicted, weight);
  ++predictions_;
  if (label == predicted) ++correct_;
  if (classes_ == 0) return;
  const int64_t cell = label * classes_ + predicted;
  const auto place = std::ranges::lower_bound(confusion_, cell, {}, &Entry::cell);
  if (place != confusion_.end() && place->cell == cell) {
    ++place->count;
  } else {
    confusion_.insert(place, {cell, 1});
  }
}

std::optional<ScoreCounts> MetricSums::InUnitOf(const MetricSums& other) const {
  std::optional<ScoreCounts> scores = scores_;
  if (scores && !weights_ && other.weights_) scores->CountWeights();
  return scores;
}

Status MetricSums::Merge(const MetricSums& other) {
  if (classes_ != 0 && other.classes_ != 0 && classes_ != other.classes_) {
    return InvalidArgument({.message = "confusion matrices of " + std::to_string(classes_) +
                                       " and " + std::to_string(other.classes_) +
                                       " classes cannot be merged"});
  }
  int64_t examples = examples_, correct = correct_, predictions = predictions_,
          non_finite = non_finite_;
  ExactSum loss_sum = loss_sum_;
  std::optional<NumberSums> numbers = numbers_ ? numbers_ : other.numbers_;
  std::optional<ScoreCounts> scores = InUnitOf(other);
  if (numbers_ && other.numbers_ && !numbers->Merge(*other.numbers_))
    return InvalidArgument({.message = "sums of predicted numbers cannot be merged"});
  if (scores && other.scores_ && !scores->Merge(*other.InUnitOf(*this)))
    return InvalidArgument({.message = "counts of scores cannot be merged"});
  std::optional<PredictionWeights> weights;
  if (weights_ || other.weights_) {
    weights = WeightsOrOnes();
    if (!weights->Merge(other.WeightsOrOnes()))
      return InvalidArgument({.message = "sums of weights cannot be merged"});
  }
  const bool fits = AddChecked(examples, other.examples_) && AddChecked(correct, other.correct_) &&
                    AddChecked(predictions, other.predictions_) &&
                    AddChecked(non_finite, other.non_finite_) && loss_sum.Merge(other.loss_sum_);
  if (!fits) return InvalidArgument({.message = "a sum of metrics does not fit its integer"});
  examples_ = examples;
  correct_ = correct;
  predictions_ = predictions;
  non_finite_ = non_finite;
  loss_sum_ = loss_sum;
  numbers_ = std::move(numbers);
  scores_ = scores ? std::move(scores) : other.InUnitOf(*this);
  if (classes_ == 0) EnableConfusion(other.classes_);
  weights_ = std::move(weights);
  MergeConfusion(other.confusion_);
  return absl::OkStatus();
}

// Needs no overflow checks: the counts of a matrix add up to at most the number of predictions.
void MetricSums::MergeConfusion(std::span<const Entry> other) {
  // If all cells exist, as after many merges, counts are added in place.
  auto place = confusion_.begin();
  size_t added = 0;
  for (; added < other.size(); ++added) {
    while (place != confusion_.end() && place->cell < other[added].cell) ++place;
    if (place == confusion_.end() || place->cell != other[added].cell) break;
    place->count += other[added].count;
  }
  if (added == other.size()) return;
  std::vector<Entry> both(confusion_.begin(), place);
  both.reserve(confusion_.size() + other.size() - added);
  std::ranges::merge(std::span(place, confusion_.end()), other.subspan(added),
                     std::back_inserter(both), {}, &Entry::cell, &Entry::cell);
  confusion_.clear();
  for (const Entry& entry : both) {
    if (!confusion_.empty() && confusion_.back().cell == entry.cell) {
      confusion_.back().count += entry.count;
    } else {
      confusion_.push_back(entry);
    }
  }
}

std::string MetricSums::TakeConfusionText() {
  std::string text = "[";
  const char* comma = "";
  for (const auto& [cell, count] : std::exchange(confusion_, {})) {
    absl::StrAppend(&text, std::exchange(comma, ","), cell / classes_, ",", cell % classes_, ",",
                    count);
  }
  return text += "]";
}

int64_t MetricSums::FigureBytes() const {
  const int64_t cells = classes_ * classes_ * static_cast<int64_t>(sizeof(int64_t));
  return cells + (numbers_ ? numbers_->Bytes() : 0) + (scores_ ? scores_->Bytes() : 0) +
         (weights_ ? weights_->Bytes() : 0);
}

int64_t MetricSums::Confused(int64_t label, int64_t predicted) const {
  const int64_t cell = label * classes_ + predicted;
  const auto found = std::ranges::lower_bound(confusion_, cell, {}, &Entry::cell);
  return found != confusion_.end() && found->cell == cell ? found->count : 0;
}

double MetricSums::loss() const {
  if (examples_ == 0 || non_finite_ > 0) return std::numeric_limits<double>::quiet_NaN();
  return loss_sum_.value() / static_cast<double>(examples_);
}

bool MetricSums::HasPossibleLoss() const {
  // Penalties are also added for examples that are not counted.
  const double examples = static_cast<double>(examples_) + (1 << 20);
  const double bound = ExactSum::kLargestTerm * kMostAdditions * examples;
  return std::fabs(loss_sum_.value()) <= bound;
}

bool MetricSums::has_accuracy() const {
  return weights_ ? weights_->all().value() > 0 : predictions_ > 0;
}

double MetricSums::accuracy() const {
  if (weights_) return Quotient(weights_->right().value(), weights_->all().value());
  return predictions_ == 0 ? 0.0
                           : static_cast<double>(correct_) / static_cast<double>(predictions_);
}

double MetricSums::Precision(int64_t c) const {
  if (weights_) {
    const PredictionWeights::OfClass& of = weights_->classes()[c];
    return Quotient(of.right.value(), of.predicted.value());
  }
  int64_t predicted = 0;
  for (int64_t label = 0; label < classes_; ++label) predicted += Confused(label, c);
  return predicted == 0 ? 0.0
                        : static_cast<double>(Confused(c, c)) / static_cast<double>(predicted);
}

double MetricSums::Recall(int64_t c) const {
  if (weights_) {
    const PredictionWeights::OfClass& of = weights_->classes()[c];
    return Quotient(of.right.value(), of.labelled.value());
  }
  int64_t labelled = 0;
  for (int64_t p = 0; p < classes_; ++p) labelled += Confused(c, p);
  return labelled == 0 ? 0.0 : static_cast<double>(Confused(c, c)) / static_cast<double>(labelled);
}

Json MetricSums::ToJson() const {
  Json json = {{"examples", examples_},
               {"loss_sum", loss_sum_.ToText()},
               {"correct", correct_},
               {"predictions", predictions_},
               {"non_finite", non_finite_}};
  if (classes_ > 0) {
    json["classes"] = classes_;
    Json& entries = json["confusion"] = Json::array();
    for (const auto& [cell, count] : confusion_) {
      for (const int64_t value : {cell / classes_, cell % classes_, count})
        entries.push_back(value);
    }
  }
  if (numbers_) json["numbers"] = numbers_->ToJson();
  if (scores_) json["scores"] = scores_->ToList();
  if (scores_ && scores_->outputs() > 1) json["score_outputs"] = scores_->outputs();
  if (weights_) json["weights"] = weights_->ToJson();
  return json;
}

StatusOr<MetricSums> MetricSums::FromJson(const Json& json, std::string path) {
  JsonObjectReader reader(json, std::move(path));
  MetricSums sums;
  std::string loss_sum = "0";
  const IntRange count{.min = 0};
  for (const char* key : {"examples", "loss_sum", "correct", "predictions", "non_finite"})
    reader.Require(key);
  reader.Int("examples", sums.examples_, count);
  reader.String("loss_sum", loss_sum);
  reader.Int("correct", sums.correct_, count);
  reader.Int("predictions", sums.predictions_, count);
  reader.Int("non_finite", sums.non_finite_, count);
  reader.Int("classes", sums.classes_, {.min = 0, .max = limits::kMaxClasses});
  std::vector<int64_t> entries;
  reader.IntList("confusion", entries, count);
  if (const std::optional<ExactSum> sum = ExactSum::FromText(loss_sum)) {
    sums.loss_sum_ = *sum;
  } else {
    reader.AddError("loss_sum", "is not a sum of losses: expected a decimal integer N, or N/2^k");
  }
  if (sums.correct_ > sums.predictions_)
    reader.AddError("correct", "must not be greater than predictions");
  if (sums.predictions_ > sums.examples_)
    reader.AddError("predictions", "must not be greater than examples");
  if (sums.non_finite_ > sums.examples_)
    reader.AddError("non_finite", "must not be greater than examples");
  if (!ReadConfusion(entries, sums.classes_, sums.predictions_, sums.confusion_)) {
    reader.AddError("confusion",
                    "must list label, prediction and count, ascending, and the counts must not add "
                    "up to more than predictions");
  }
  if (const Json* numbers = reader.Child("numbers"); numbers != nullptr) {
    auto read = NumberSums::FromJson(*numbers, reader.PathOf("numbers"));
    if (!read.ok()) return read.status();
    sums.numbers_ = *std::move(read);
    if (!sums.numbers_->ArePossible(sums.examples_))
      reader.AddError("numbers", "is too large for this number of examples");
  }
  if (const Json* weights = reader.Child("weights"); weights != nullptr) {
    auto read = PredictionWeights::FromJson(*weights, reader.PathOf("weights"), sums.classes_);
    if (!read.ok()) return read.status();
    sums.weights_ = *std::move(read);
    if (!sums.weights_->ArePossible(sums.predictions_))
      reader.AddError("weights", "is too large for this number of predictions");
  }
  if (reader.Has("scores") || reader.Has("score_outputs")) {
    std::vector<int64_t> list;
    int64_t outputs = 1;
    reader.IntList("scores", list, count);
    reader.Int("score_outputs", outputs, {.min = 1, .max = limits::kMaxAnnouncedScoreOutputs});
    if (reader.errors().empty()) sums.scores_ = ScoreCounts::FromList(outputs, list);
    if (!sums.scores_) {
      reader.AddError("scores", "must list cell, positives and others, by ascending cell");
    } else if (!sums.scores_->ArePossible(sums.examples_, sums.ScoreUnit())) {
      reader.AddError("scores", "is too large for this number of examples");
    }
  }
  DL_RETURN_IF_ERROR(reader.Finish());
  return sums;
}

}  // namespace dl::nn
