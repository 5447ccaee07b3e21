#include "averaging/weights.h"

#include <numeric>

#include "absl/strings/str_cat.h"

namespace dl::averaging {

StatusOr<Weights> NormalizeWeights(std::span<const int64_t> examples) {
  int64_t divisor = 0;
  for (size_t worker = 0; worker < examples.size(); ++worker) {
    if (examples[worker] < 0) {
      return InvalidArgument({.message = absl::StrCat("the number of examples is ",
                                                      examples[worker], ", but must be at least 0"),
                              .where = absl::StrCat("worker ", worker)});
    }
    divisor = std::gcd(divisor, examples[worker]);
  }
  if (divisor == 0) return InvalidArgument({.message = "no worker has an example in this round"});
  Weights weights;
  for (int64_t count : examples) {
    const int64_t weight = count / divisor;
    if (weight > kMaxWeightSum - weights.sum) {
      return InvalidArgument({.message = "a round trains more than 2^53 examples",
                              .remedy = "Lower the averaging frequency or the batch size"});
    }
    weights.weight.push_back(weight);
    weights.sum += weight;
  }
  return weights;
}

}  // namespace dl::averaging
