#include "inference/sampling.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/portable_math.h"

namespace dl::inference {

int64_t ChooseToken(std::span<const float> probabilities, const Sampling& sampling,
                    double uniform) {
  const auto most = std::max_element(probabilities.begin(), probabilities.end());
  if (sampling.temperature == 0) return most - probabilities.begin();
  std::vector<int64_t> tokens(probabilities.size());
  std::iota(tokens.begin(), tokens.end(), int64_t{0});
  if (sampling.top_k > 0 && sampling.top_k < static_cast<int64_t>(tokens.size())) {
    std::partial_sort(
        tokens.begin(), tokens.begin() + sampling.top_k, tokens.end(), [&](int64_t a, int64_t b) {
          return probabilities[a] != probabilities[b] ? probabilities[a] > probabilities[b] : a < b;
        });
    tokens.resize(sampling.top_k);
  }
  // The weight of the most probable token is 1 at every temperature, so the sum is neither 0 nor
  // infinite.
  const double largest = portable::Log(*most);
  std::vector<double> weights;
  for (const int64_t token : tokens) {
    const double p = probabilities[token];
    weights.push_back(p > 0 ? portable::Exp((portable::Log(p) - largest) / sampling.temperature)
                            : 0);
  }
  double left = uniform * std::accumulate(weights.begin(), weights.end(), 0.0);
  int64_t chosen = most - probabilities.begin();  // used if rounding leaves a remainder
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (weights[i] == 0) continue;
    chosen = tokens[i];
    if (left < weights[i]) break;
    left -= weights[i];
  }
  return chosen;
}

}  // namespace dl::inference
