#include "nn/metrics/binary_report.h"

#include "base/status.h"

namespace dl::nn {
namespace {

double Share(double part, double rest) { return part == 0 ? 0.0 : part / (part + rest); }

float WeightOf(std::span<const float> weights, size_t example) {
  return weights.empty() ? 1 : weights[example];
}

}  // namespace

double BinaryReport::Counts::Accuracy() const {
  return Share(true_positives + true_negatives, false_positives + false_negatives);
}

double BinaryReport::Counts::Precision() const { return Share(true_positives, false_positives); }

double BinaryReport::Counts::Recall() const { return Share(true_positives, false_negatives); }

BinaryReport::BinaryReport(int64_t outputs) : outputs_(outputs), counts_(outputs) {
  DL_CHECK(outputs >= 1);
}

void BinaryReport::Add(std::span<const float> probabilities, std::span<const float> targets,
                       std::span<const float> weights) {
  DL_CHECK(probabilities.size() == targets.size() && targets.size() % counts_.size() == 0);
  keeps_scores_ =
      keeps_scores_ && static_cast<int64_t>(scores_.size() + targets.size()) <= kMaxScores;
  for (size_t i = 0; i < targets.size(); ++i) {
    const bool yes = targets[i] == 1.0f, no = targets[i] == 0.0f;
    const bool said = SaysYes(probabilities[i]);
    Counts& counts = counts_[i % counts_.size()];
    const double weight = WeightOf(weights, i / counts_.size());
    if (yes || no) ++counts.examples;
    if (yes) (said ? counts.true_positives : counts.false_negatives) += weight;
    if (no) (said ? counts.false_positives : counts.true_negatives) += weight;
    if (!keeps_scores_) continue;
    scores_.push_back(probabilities[i]);
    answers_.push_back(yes ? Answer::kYes : no ? Answer::kNo : Answer::kNeither);
  }
  for (size_t e = 0; keeps_scores_ && e < targets.size() / counts_.size(); ++e)
    weights_.push_back(WeightOf(weights, e));
  if (!keeps_scores_) {
    std::vector<float>().swap(weights_);
    std::vector<float>().swap(scores_);
    std::vector<Answer>().swap(answers_);
  }
  CountExactMatches(probabilities, targets, weights);
}

void BinaryReport::CountExactMatches(std::span<const float> probabilities,
                                     std::span<const float> targets,
                                     std::span<const float> weights) {
  for (size_t begin = 0; begin < targets.size(); begin += counts_.size()) {
    bool answered = true, exact = true;
    for (size_t i = begin; i < begin + counts_.size(); ++i) {
      answered = answered && (targets[i] == 0.0f || targets[i] == 1.0f);
      exact = exact && SaysYes(probabilities[i]) == (targets[i] == 1.0f);
    }
    const double weight = WeightOf(weights, begin / counts_.size());
    if (answered) answered_ += weight;
    if (answered && exact) exact_ += weight;
  }
}

BinaryReport::Counts BinaryReport::SumOfCounts() const {
  Counts sum;
  for (const Counts& counts : counts_) {
    sum.examples += counts.examples;
    sum.true_positives += counts.true_positives;
    sum.false_positives += counts.false_positives;
    sum.false_negatives += counts.false_negatives;
    sum.true_negatives += counts.true_negatives;
  }
  return sum;
}

double BinaryReport::ExactMatch() const { return Share(exact_, answered_ - exact_); }

std::optional<std::vector<ScoredExample>> BinaryReport::ScoresOfOutput(int64_t output) const {
  if (!keeps_scores_) return std::nullopt;
  std::vector<ScoredExample> examples;
  for (size_t i = output; i < scores_.size(); i += outputs_) {
    if (answers_[i] != Answer::kNeither)
      examples.push_back({scores_[i], answers_[i] == Answer::kYes, weights_[i / outputs_]});
  }
  return examples;
}

std::optional<Ranking> BinaryReport::RankingOfOutput(int64_t output) const {
  auto examples = ScoresOfOutput(output);
  return examples ? RankingOf(*examples) : std::nullopt;
}

}  // namespace dl::nn
