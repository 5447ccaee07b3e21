#include "tests/gradient/reference/reference_batch_norm.h"

#include <cmath>

namespace dl::reference {

std::vector<size_t> BatchNorm::ElementsOf(int64_t channel) const {
  std::vector<size_t> elements;
  // The values of a channel are contiguous. In sequences, the channels of a step are contiguous.
  const int64_t area = input_.IsSequence() ? 1 : input_.Elements() / input_.channels;
  for (size_t i = 0; i < x_.size(); ++i) {
    if (static_cast<int64_t>(i) / area % input_.channels == channel) elements.push_back(i);
  }
  return elements;
}

Values BatchNorm::Forward(const Values& x, const Pass& pass) {
  x_ = x;
  mean_.assign(tensors_.mean.value.begin(), tensors_.mean.value.end());
  variance_.assign(tensors_.variance.value.begin(), tensors_.variance.value.end());
  Values y(x.size());
  for (int64_t c = 0; c < input_.channels; ++c) {
    const std::vector<size_t> elements = ElementsOf(c);
    const double count = static_cast<double>(elements.size());
    if (pass.mode == Mode::kTraining && !conf_.frozen) {
      mean_[c] = variance_[c] = 0;
      for (const size_t i : elements) mean_[c] += x[i] / count;
      for (const size_t i : elements) variance_[c] += (x[i] - mean_[c]) * (x[i] - mean_[c]) / count;
    }
    for (const size_t i : elements) {
      y[i] = tensors_.gamma.value[c] * (x[i] - mean_[c]) / std::sqrt(variance_[c] + conf_.epsilon) +
             tensors_.beta.value[c];
    }
  }
  return y;
}

Values BatchNorm::Backward(const Values& dy) {
  Values dx(x_.size());
  for (int64_t c = 0; c < input_.channels; ++c) {
    const std::vector<size_t> elements = ElementsOf(c);
    const double count = static_cast<double>(elements.size());
    const double deviation = std::sqrt(variance_[c] + conf_.epsilon);
    const double gamma = tensors_.gamma.value[c];
    double d_gamma = 0, d_beta = 0, d_variance = 0, d_mean = 0;
    for (const size_t i : elements) {
      d_gamma += dy[i] * (x_[i] - mean_[c]) / deviation;
      d_beta += dy[i];
      d_variance += dy[i] * gamma * (x_[i] - mean_[c]) * -0.5 / (deviation * deviation * deviation);
      d_mean += dy[i] * gamma * -1 / deviation;
    }
    tensors_.gamma.gradient[c] = d_gamma;
    tensors_.beta.gradient[c] = d_beta;
    if (conf_.frozen) d_variance = d_mean = 0;  // the moments are constants
    // The variance does not depend on the mean, because the deviations from the mean sum to 0.
    for (const size_t i : elements) {
      dx[i] =
          dy[i] * gamma / deviation + d_variance * 2 * (x_[i] - mean_[c]) / count + d_mean / count;
    }
  }
  return dx;
}

void BatchNorm::FinishStep() {
  if (conf_.frozen) return;
  for (int64_t c = 0; c < input_.channels; ++c) {
    double& mean = tensors_.mean.value[c];
    double& variance = tensors_.variance.value[c];
    mean = conf_.decay * mean + (1 - conf_.decay) * mean_[c];
    variance = conf_.decay * variance + (1 - conf_.decay) * variance_[c];
  }
}

}  // namespace dl::reference
