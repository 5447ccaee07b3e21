// y[c] = x[c] s[c]^-beta with s[c] = k + alpha (sum of x[j]^2 over the channels j within (size - 1)
// / 2 of c), for each pixel separately.
#pragma once

#include "nn/conf/input_type.h"
#include "nn/conf/layers/local_response_norm.h"
#include "tests/gradient/reference/reference_layer.h"

namespace dl::reference {

class ResponseNorm : public Layer {
 public:
  ResponseNorm(nn::LocalResponseNorm conf, const nn::InputType& type)
      : conf_(std::move(conf)), type_(type) {}
  Values Forward(const Values& x, const Pass& pass) override;
  Values Backward(const Values& dy) override;

 private:
  // Returns the indices of the values in the sum for value `i`.
  std::vector<size_t> SummedFor(size_t i) const;

  nn::LocalResponseNorm conf_;
  nn::InputType type_;
  Values x_, s_;
};

}  // namespace dl::reference
