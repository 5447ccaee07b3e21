#include "tests/gradient/reference/reference_loss.h"

#include <algorithm>

#include "base/overloaded.h"
#include "tests/gradient/reference/reference_class_loss.h"
#include "tests/gradient/reference/reference_cross_entropy.h"
#include "tests/gradient/reference/reference_ctc.h"
#include "tests/gradient/reference/reference_error_loss.h"
#include "tests/gradient/reference/reference_product_loss.h"
#include "tests/gradient/reference/reference_triplet.h"

namespace dl::reference {
namespace {

bool Counts(const ExpectedRow& row) { return row.label >= 0; }

}  // namespace

// No default branch: a loss without a reference does not compile.
std::unique_ptr<const RowLoss> MakeRowLoss(const nn::LossConf& conf) {
  using Made = std::unique_ptr<const RowLoss>;
  return std::visit(
      Overloaded{
          [](const nn::SoftmaxCrossEntropy& x) -> Made {
            return std::make_unique<WeightedByClass>(
                std::make_unique<SoftmaxCrossEntropy>(x.label_smoothing), x.class_weights.values);
          },
          [](const nn::BinaryCrossEntropy& x) -> Made {
            return std::make_unique<BinaryCrossEntropy>(x.positive_weights);
          },
          [](const nn::MeanSquaredError&) -> Made { return std::make_unique<SquaredError>(); },
          [](const nn::MeanAbsoluteError&) -> Made { return std::make_unique<AbsoluteError>(); },
          [](const nn::Huber& x) -> Made { return std::make_unique<Huber>(x.delta); },
          [](const nn::Focal& x) -> Made {
            return std::make_unique<WeightedByClass>(std::make_unique<Focal>(x.gamma),
                                                     x.class_weights.values);
          },
          [](const nn::KlDivergence&) -> Made { return std::make_unique<KlDivergence>(); },
          [](const nn::Poisson&) -> Made { return std::make_unique<Poisson>(); },
          [](const nn::Hinge&) -> Made { return std::make_unique<Hinge>(1); },
          [](const nn::SquaredHinge&) -> Made { return std::make_unique<Hinge>(2); },
          [](const nn::Cosine&) -> Made { return std::make_unique<Cosine>(); },
          [](const nn::Triplet& x) -> Made { return std::make_unique<Triplet>(x.margin); },
          [](const nn::Ctc&) -> Made { return std::make_unique<Ctc>(); },
      },
      conf);
}

// Calls `visit(row, expected)` for each row or example.
template <typename Visit>
void Loss::ForEachJudged(const Values& z, int64_t rows, const Expected& expected,
                         Visit visit) const {
  const int64_t judged = JudgedOf(rows);
  const size_t values = z.size() / judged;
  const size_t labels = expected.labels.size() / judged;
  for (int64_t n = 0; n < judged; ++n) {
    ExpectedRow row;
    row.weight = expected.WeightOf(n, judged);
    if (row_->JudgesExamples()) {
      row.labels = expected.labels.subspan(n * labels, labels);
      row.steps = steps_;
    } else if (!expected.labels.empty()) {
      row.label = expected.labels[n];
    }
    if (!expected.targets.empty()) row.targets = expected.targets.subspan(n * values, values);
    visit(std::span(z).subspan(n * values, values), row);
  }
}

// Returns at least 1: if no row counts, the sum is 0.
double Loss::CountedOf(int64_t rows, const Expected& expected) const {
  int64_t counted = 0;
  ForEachJudged(Values(rows), rows, expected,
                [&](RowLoss::Row, const ExpectedRow& of) { counted += Counts(of) ? 1 : 0; });
  return static_cast<double>(std::max<int64_t>(1, counted));
}

double Loss::Of(const Values& z, int64_t rows, const Expected& expected) const {
  double sum = 0;
  ForEachJudged(z, rows, expected, [&](RowLoss::Row row, const ExpectedRow& of) {
    if (Counts(of)) sum += of.weight * row_->Of(row, of);
  });
  return sum / CountedOf(rows, expected);
}

Values Loss::Gradient(const Values& z, int64_t rows, const Expected& expected) const {
  const double counted = CountedOf(rows, expected);
  Values gradient;
  ForEachJudged(z, rows, expected, [&](RowLoss::Row row, const ExpectedRow& of) {
    if (!Counts(of)) {
      gradient.resize(gradient.size() + row.size());
      return;
    }
    for (const double value : row_->Gradient(row, of))
      gradient.push_back(of.weight * value / counted);
  });
  return gradient;
}

Values Loss::Predictions(const Values& z, int64_t rows) const {
  const size_t outputs = z.size() / rows;
  Values all;
  for (size_t i = 0; i < z.size(); i += outputs) {
    for (const double value : row_->Prediction(std::span(z).subspan(i, outputs)))
      all.push_back(value);
  }
  return all;
}

double Loss::KinkDistance(const Values& z, int64_t rows, const Expected& expected) const {
  double distance = std::numeric_limits<double>::infinity();
  ForEachJudged(z, rows, expected, [&](RowLoss::Row row, const ExpectedRow& of) {
    if (Counts(of)) distance = std::min(distance, row_->KinkDistance(row, of));
  });
  return distance;
}

}  // namespace dl::reference
