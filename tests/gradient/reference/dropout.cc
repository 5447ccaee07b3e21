#include "tests/gradient/reference/dropout.h"

#include <cmath>

#include "base/philox.h"

namespace dl::reference {

uint64_t Dropout::Place(size_t i) const {
  if (conf_.kind != nn::DropoutKind::kSpatial) return i;
  const size_t values = input_.Elements(), channels = input_.channels;
  const size_t in_example = i % values;
  const size_t channel =
      input_.IsSequence() ? in_example % channels : in_example / (input_.height * input_.width);
  return i / values * channels + channel;
}

Values Dropout::Forward(const Values& x, const Pass& pass) {
  if (pass.mode == Mode::kInference) return x;
  RandomStream stream(
      {.seed = pass.seed,
       .purpose = RandomPurpose::kDropout,
       .a = (layer_index_ << 32) + static_cast<uint64_t>(pass.epoch),
       .b = static_cast<uint64_t>(pass.round),
       .c = (static_cast<uint64_t>(pass.worker) << 32) + static_cast<uint64_t>(pass.step)});
  const double p = conf_.probability, q = 1 - p;
  // lambda and alpha of SELU.
  const double limit = -1.0507009873554805 * 1.6732632423543772;
  const double a = std::pow(q + limit * limit * q * p, -0.5), b = -a * p * limit;
  factors_.resize(x.size());
  Values y(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const bool dropped = stream.At(Place(i)) < std::floor(std::ldexp(p, 32));
    switch (conf_.kind) {
      case nn::DropoutKind::kPlain:
      case nn::DropoutKind::kSpatial:
        factors_[i] = dropped ? 0 : 1 / q;
        y[i] = x[i] * factors_[i];
        break;
      case nn::DropoutKind::kGaussian:
        factors_[i] = 1 + std::sqrt(p / q) * stream.NextNormal();
        y[i] = x[i] * factors_[i];
        break;
      case nn::DropoutKind::kAlpha:
        factors_[i] = dropped ? 0 : a;
        y[i] = a * (dropped ? limit : x[i]) + b;
        break;
    }
  }
  return y;
}

Values Dropout::Backward(const Values& dy) {
  Values dx(dy.size());
  for (size_t i = 0; i < dy.size(); ++i) dx[i] = dy[i] * factors_[i];
  return dx;
}

}  // namespace dl::reference
