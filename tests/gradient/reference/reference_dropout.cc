#include "tests/gradient/reference/reference_dropout.h"

#include <cmath>

namespace dl::reference {
namespace {

RandomStream StreamOf(RandomPurpose purpose, uint64_t layer_index, const Pass& pass) {
  return RandomStream(
      {.seed = pass.seed,
       .purpose = purpose,
       .a = (layer_index << 32) + static_cast<uint64_t>(pass.epoch),
       .b = static_cast<uint64_t>(pass.round),
       .c = (static_cast<uint64_t>(pass.worker) << 32) + static_cast<uint64_t>(pass.step)});
}

// Returns whether an element with this random number is dropped.
bool Drops(uint32_t number, double p) { return number < std::floor(std::ldexp(p, 32)); }

}  // namespace

uint64_t Dropout::Place(size_t i) const {
  if (conf_.kind != nn::DropoutKind::kSpatial) return i;
  const size_t values = input_.Elements(), channels = input_.channels;
  const size_t in_example = i % values;
  const size_t channel =
      input_.IsSequence() ? in_example % channels : in_example / (values / channels);
  return i / values * channels + channel;
}

Values Dropout::Forward(const Values& x, const Pass& pass) {
  if (pass.mode == Mode::kInference) return x;
  RandomStream stream = StreamOf(RandomPurpose::kDropout, layer_index_, pass);
  const double p = conf_.probability, q = 1 - p;
  // lambda and alpha of SELU.
  const double limit = -1.0507009873554805 * 1.6732632423543772;
  const double a = std::pow(q + limit * limit * q * p, -0.5), b = -a * p * limit;
  factors_.resize(x.size());
  Values y(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const bool dropped = Drops(stream.At(Place(i)), p);
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

Values GaussianNoise::Forward(const Values& x, const Pass& pass) {
  if (pass.mode == Mode::kInference) return x;
  RandomStream stream = StreamOf(RandomPurpose::kDropout, layer_index_, pass);
  Values y = x;
  for (double& value : y) value += deviation_ * stream.NextNormal();
  return y;
}

Values PurposeDropout::Mask(const Pass& pass, int64_t size) const {
  Values mask(pass.examples * size, 1.0);
  if (pass.mode == Mode::kInference) return mask;
  const RandomStream stream = StreamOf(purpose, layer_index, pass);
  for (size_t i = 0; i < mask.size(); ++i)
    mask[i] = Drops(stream.At(i), probability) ? 0 : 1 / (1 - probability);
  return mask;
}

}  // namespace dl::reference
