#include "tests/gradient/reference/dropout.h"

#include <cmath>

#include "base/philox.h"

namespace dl::reference {

Values Dropout::Forward(const Values& x, const Pass& pass) {
  if (pass.mode == Mode::kInference) return x;
  const RandomStream stream(
      {.seed = pass.seed,
       .purpose = RandomPurpose::kDropout,
       .a = (layer_index_ << 32) + static_cast<uint64_t>(pass.epoch),
       .b = static_cast<uint64_t>(pass.round),
       .c = (static_cast<uint64_t>(pass.worker) << 32) + static_cast<uint64_t>(pass.step)});
  factors_.resize(x.size());
  Values y(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const bool dropped = stream.At(i) < std::floor(std::ldexp(probability_, 32));
    factors_[i] = dropped ? 0 : 1 / (1 - probability_);
    y[i] = x[i] * factors_[i];
  }
  return y;
}

Values Dropout::Backward(const Values& dy) {
  Values dx(dy.size());
  for (size_t i = 0; i < dy.size(); ++i) dx[i] = dy[i] * factors_[i];
  return dx;
}

}  // namespace dl::reference
