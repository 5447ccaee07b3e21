#include "tests/gradient/reference/loss.h"

#include <algorithm>

#include "base/overloaded.h"
#include "tests/gradient/reference/class_loss.h"
#include "tests/gradient/reference/cross_entropy.h"
#include "tests/gradient/reference/error_loss.h"
#include "tests/gradient/reference/product_loss.h"
#include "tests/gradient/reference/triplet.h"

namespace dl::reference {
namespace {

// Calls `visit(row, what it is compared with)` for each example.
template <typename Visit>
void ForEachRow(const Values& z, int64_t examples, const Expected& expected, Visit visit) {
  const size_t outputs = z.size() / examples;
  for (int64_t n = 0; n < examples; ++n) {
    ExpectedRow row;
    if (!expected.labels.empty()) row.label = expected.labels[n];
    if (!expected.targets.empty()) row.targets = expected.targets.subspan(n * outputs, outputs);
    visit(std::span(z).subspan(n * outputs, outputs), row);
  }
}

bool Counts(const ExpectedRow& row) { return row.label >= 0; }

// At least 1: of none the sum is 0.
double CountedOf(int64_t examples, const Expected& expected) {
  const int64_t none = std::ranges::count_if(expected.labels, [](int32_t c) { return c < 0; });
  return static_cast<double>(std::max<int64_t>(1, examples - none));
}

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
          [](const nn::BinaryCrossEntropy&) -> Made {
            return std::make_unique<BinaryCrossEntropy>();
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
      },
      conf);
}

double Loss::Of(const Values& z, int64_t examples, const Expected& expected) const {
  double sum = 0;
  ForEachRow(z, examples, expected, [&](RowLoss::Row row, const ExpectedRow& of) {
    if (Counts(of)) sum += row_->Of(row, of);
  });
  return sum / CountedOf(examples, expected);
}

Values Loss::Gradient(const Values& z, int64_t examples, const Expected& expected) const {
  Values gradient;
  ForEachRow(z, examples, expected, [&](RowLoss::Row row, const ExpectedRow& of) {
    if (!Counts(of)) {
      gradient.resize(gradient.size() + row.size());
      return;
    }
    for (const double value : row_->Gradient(row, of))
      gradient.push_back(value / CountedOf(examples, expected));
  });
  return gradient;
}

Values Loss::Predictions(const Values& z, int64_t examples) const {
  Values all;
  ForEachRow(z, examples, {}, [&](RowLoss::Row row, const ExpectedRow&) {
    for (const double value : row_->Prediction(row)) all.push_back(value);
  });
  return all;
}

double Loss::KinkDistance(const Values& z, int64_t examples, const Expected& expected) const {
  double distance = std::numeric_limits<double>::infinity();
  ForEachRow(z, examples, expected, [&](RowLoss::Row row, const ExpectedRow& of) {
    if (Counts(of)) distance = std::min(distance, row_->KinkDistance(row, of));
  });
  return distance;
}

}  // namespace dl::reference
