#include "inference/serving/worst_mistakes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <variant>

#include "inference/class_names.h"
#include "inference/number_json.h"
#include "inference/prediction_lines.h"
#include "inference/serving/example_json.h"
#include "nn/conf/label_parts.h"
#include "nn/metrics/best_path.h"
#include "nn/metrics/binary_report.h"
#include "nn/metrics/sequence_report.h"

namespace dl::inference {
namespace {

constexpr size_t kMaxShown = 64;  // predicted numbers or classes of an example

WorstMistakes::Measure MeasureOf(const nn::ModelOutput& output) {
  using enum WorstMistakes::Measure;
  const nn::LossConf& loss = output.conf.loss;
  if (output.conf.compared_with == nn::ComparedWith::kInput) return kNumbers;
  if (output.label_count == 0) return kNone;
  if (output.HasClassSequences()) return kSequences;
  if (output.HasClasses()) return output.conf.units >= 2 ? kClasses : kNone;
  if (std::holds_alternative<nn::BinaryCrossEntropy>(loss)) return kAnswers;
  const bool has_numbers = std::holds_alternative<nn::MeanSquaredError>(loss) ||
                           std::holds_alternative<nn::MeanAbsoluteError>(loss) ||
                           std::holds_alternative<nn::Huber>(loss) ||
                           std::holds_alternative<nn::Poisson>(loss);
  return has_numbers ? kNumbers : kNone;
}

// Returns -ln of a probability, at least that of the smallest normal float, or infinity for NaN.
double LogLoss(double probability) {
  if (std::isnan(probability)) return std::numeric_limits<double>::infinity();
  return -std::log(std::max<double>(probability, std::numeric_limits<float>::min()));
}

}  // namespace

WorstMistakes::WorstMistakes(const nn::ModelConfig& model, const dataset::Manifest& test,
                             size_t most)
    : output_(OutputsOf(model).back()),
      cut_(LabelFormOf(OutputsOf(model)).owners > 1),
      row_targets_(test.schema.target_size()),
      origins_(test.schema.target_origins()),
      class_names_(output_.label_count > 0 ? ClassNamesAt(test.schema, output_.first_label)
                                           : std::vector<std::string>()),
      targets_(test.target_normalizer),
      measure_(MeasureOf(output_)),
      most_(most) {}

const char* WorstMistakes::NameOf(Measure measure) {
  if (measure == Measure::kNumbers) return "squared_error";
  return measure == Measure::kSequences ? "label_error_rate" : "log_loss";
}

std::optional<int64_t> WorstMistakes::wrong() const {
  return measure_ == Measure::kNumbers ? std::nullopt : std::optional(wrong_);
}

Status WorstMistakes::CutLabels(const dataset::Minibatch& batch) {
  const nn::LabelRows rows{batch.targets, row_targets_};
  if (output_.HasClasses()) {
    cut_labels_.resize(static_cast<size_t>(rows.rows()));
    return nn::CutClasses(output_, rows, cut_labels_);
  }
  cut_targets_.resize(static_cast<size_t>(rows.rows() * output_.label_count));
  nn::CutNumbers(output_, rows, cut_targets_);
  return absl::OkStatus();
}

Status WorstMistakes::Add(const dataset::Minibatch& batch, std::span<const float> predictions,
                          int64_t first) {
  if (measure_ == Measure::kNone) return absl::OkStatus();
  const bool compares_input = output_.conf.compared_with == nn::ComparedWith::kInput;
  std::span<const int32_t> labels = batch.classes;
  std::span<const float> targets = compares_input ? batch.features : batch.targets;
  if (cut_ && !compares_input) {
    DL_RETURN_IF_ERROR(CutLabels(batch));
    labels = cut_labels_;
    targets = cut_targets_;
  }
  // Returns the part of example `e`. An example of varying length has `own` of its `all` steps.
  const auto part = [&](auto values, int64_t e, int64_t own, int64_t all) {
    const int64_t size = std::ssize(values) / batch.examples;
    return values.subspan(e * size, size * own / all);
  };
  const int64_t steps = output_.type.Steps();
  for (int64_t e = 0; e < batch.examples; ++e) {
    if (!batch.weights.empty() && batch.weights[e] == 0) continue;
    const int64_t own =
        batch.lengths.empty() || steps == 1 ? steps : output_.type.StepsOf(batch.lengths[e]);
    const int64_t of_labels = measure_ == Measure::kSequences ? steps : own;
    const Example example{.predictions = part(predictions, e, own, steps),
                          .labels = part(labels, e, of_labels, steps),
                          .targets = part(targets, e, own, steps)};
    const Judged judged = Judge(example);
    if (judged.labels == 0) continue;
    if (judged.wrong > 0) ++wrong_;
    if (judged.wrong > 0 || measure_ == Measure::kNumbers) Keep(first + e, example, judged);
  }
  return absl::OkStatus();
}

WorstMistakes::Judged WorstMistakes::Judge(const Example& example) const {
  switch (measure_) {
    case Measure::kClasses:
      return JudgeClasses(example);
    case Measure::kAnswers:
      return JudgeAnswers(example);
    case Measure::kNumbers:
      return JudgeNumbers(example);
    case Measure::kSequences:
      return JudgeSequence(example);
    case Measure::kNone:
      break;
  }
  return {};
}

WorstMistakes::Judged WorstMistakes::JudgeClasses(const Example& example) const {
  const auto units = static_cast<size_t>(output_.conf.units);
  Judged judged;
  for (size_t r = 0; r < example.labels.size(); ++r) {
    const int32_t label = example.labels[r];
    if (label < 0) continue;
    const auto row = example.predictions.subspan(r * units, units);
    const float probability = row[static_cast<size_t>(label)];
    judged.loss += LogLoss(probability);
    // Without numbers, PredictedClass is the first class.
    if (std::isnan(probability) || PredictedClass(row) != label) ++judged.wrong;
    ++judged.labels;
  }
  if (judged.labels > 0) judged.loss /= static_cast<double>(judged.labels);
  return judged;
}

WorstMistakes::Judged WorstMistakes::JudgeAnswers(const Example& example) const {
  Judged judged;
  for (size_t i = 0; i < example.targets.size(); ++i) {
    const float target = example.targets[i], yes = example.predictions[i];
    if (target != 0.0f && target != 1.0f) continue;
    judged.loss += LogLoss(target == 1.0f ? yes : 1.0 - yes);
    if (nn::SaysYes(yes) != (target == 1.0f)) ++judged.wrong;
    ++judged.labels;
  }
  if (judged.labels > 0) judged.loss /= static_cast<double>(judged.labels);
  return judged;
}

WorstMistakes::Judged WorstMistakes::JudgeNumbers(const Example& example) const {
  Judged judged{.labels = std::ssize(example.targets)};
  for (size_t i = 0; i < example.targets.size(); ++i) {
    const double error = static_cast<double>(example.predictions[i]) - example.targets[i];
    judged.loss += error * error;
  }
  judged.loss /= static_cast<double>(std::max<int64_t>(1, judged.labels));
  if (std::isnan(judged.loss)) judged.loss = std::numeric_limits<double>::infinity();
  return judged;
}

WorstMistakes::Judged WorstMistakes::JudgeSequence(const Example& example) const {
  const std::vector<int32_t> predicted = nn::BestPath(example.predictions, output_.conf.units);
  const std::span<const int32_t> labels = nn::SequenceOf(example.labels);
  nn::SequenceReport report;
  report.Add(predicted, labels);
  if (!report.has_labels()) return {};
  return {.loss = report.LabelErrorRate(),
          .wrong = std::ranges::equal(predicted, labels) ? 0 : 1,
          .labels = std::ssize(labels)};
}

Json WorstMistakes::Show(const Example& example, const Judged& judged) const {
  const auto first = [](auto values) {
    return std::span(values).first(std::min(values.size(), kMaxShown));
  };
  Json shown = Json::object();
  if (measure_ == Measure::kSequences) {
    Json& classes = shown["predicted"] = Json::array();
    const std::vector<int32_t> path = nn::BestPath(example.predictions, output_.conf.units);
    for (const int32_t c : first(std::span(path))) classes.push_back(ClassJson(c, class_names_));
  } else if (measure_ == Measure::kNumbers) {
    if (output_.conf.compared_with == nn::ComparedWith::kInput) return shown;
    std::vector<float> numbers(example.predictions.begin(), example.predictions.end());
    targets_.Restore(output_.first_label, output_.label_count, numbers);
    Json list = Json::array();
    for (size_t i = 0; i < std::min(numbers.size(), kMaxShown); ++i) {
      const auto target =
          static_cast<size_t>(output_.first_label) + i % static_cast<size_t>(output_.label_count);
      list.push_back(NumberJson(numbers[i], origins_.empty() ? 0 : origins_[target]));
    }
    shown["predicted"] = list.size() == 1 ? list.front() : list;
  } else if (measure_ == Measure::kClasses && example.labels.size() == 1) {
    const int64_t predicted = PredictedClass(example.predictions);
    shown["predicted"] = ClassJson(static_cast<int32_t>(predicted), class_names_);
    shown["probability"] = NumberJson(example.predictions[static_cast<size_t>(predicted)]);
    shown["label_probability"] =
        NumberJson(example.predictions[static_cast<size_t>(example.labels[0])]);
  } else if (measure_ == Measure::kAnswers && example.targets.size() == 1) {
    const float yes = example.predictions[0];
    const int says = nn::SaysYes(yes) ? 1 : 0;
    shown["predicted"] = ClassJson(says, class_names_);
    shown["probability"] = NumberJson(says == 1 ? yes : 1 - yes);
    shown["label_probability"] = NumberJson(example.targets[0] == 1.0f ? yes : 1 - yes);
  } else {
    shown["wrong"] = judged.wrong;
    shown["labels"] = judged.labels;
    if (measure_ == Measure::kAnswers) {
      Json& list = shown["probabilities"] = Json::array();
      for (const float yes : first(example.predictions)) list.push_back(NumberJson(yes));
    }
  }
  return shown;
}

void WorstMistakes::Keep(int64_t position, const Example& example, const Judged& judged) {
  if (most_ == 0) return;
  // After examples of equal loss, whose positions are smaller.
  const auto place = std::ranges::upper_bound(worst_, judged.loss, std::ranges::greater(),
                                              [](const Mistake& kept) { return kept.loss; });
  if (place == worst_.end() && worst_.size() >= most_) return;
  worst_.insert(place,
                Mistake{.position = position, .loss = judged.loss, .shown = Show(example, judged)});
  if (worst_.size() > most_) worst_.pop_back();
}

}  // namespace dl::inference
