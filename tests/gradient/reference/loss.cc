#include "tests/gradient/reference/loss.h"

#include <algorithm>
#include <cmath>

#include "nn/conf/kinds.h"
#include "tests/gradient/reference/activation.h"

namespace dl::reference {
namespace {

// log of the sum of exp, shifted so that nothing overflows.
double LogSumExp(std::span<const double> z) {
  const double largest = *std::max_element(z.begin(), z.end());
  double sum = 0;
  for (const double value : z) sum += std::exp(value - largest);
  return largest + std::log(sum);
}

}  // namespace

double Loss(nn::LossKind kind, const Values& y, int64_t examples, const Expected& expected) {
  const size_t outputs = y.size() / examples;
  double sum = 0;
  for (int64_t n = 0; n < examples; ++n) {
    const std::span<const double> row = std::span(y).subspan(n * outputs, outputs);
    if (kind == nn::LossKind::kSoftmaxCrossEntropy) {
      sum += LogSumExp(row) - row[expected.labels[n]];
      continue;
    }
    for (size_t i = 0; i < outputs; ++i) {
      const double error = row[i] - expected.targets[n * outputs + i];
      sum += error * error / static_cast<double>(outputs);
    }
  }
  return sum / static_cast<double>(examples);
}

Values LossGradient(nn::LossKind kind, const Values& y, int64_t examples,
                    const Expected& expected) {
  const size_t outputs = y.size() / examples;
  const double rows = static_cast<double>(examples);
  Values gradient(y.size());
  if (kind == nn::LossKind::kSoftmaxCrossEntropy) {
    gradient = SoftmaxOfRows(y, examples);
    for (int64_t n = 0; n < examples; ++n) gradient[n * outputs + expected.labels[n]] -= 1;
    for (double& value : gradient) value /= rows;
    return gradient;
  }
  for (size_t i = 0; i < y.size(); ++i) {
    gradient[i] = 2 * (y[i] - expected.targets[i]) / (rows * static_cast<double>(outputs));
  }
  return gradient;
}

}  // namespace dl::reference
