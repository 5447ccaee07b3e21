#include "tests/gradient/reference/reference_ctc.h"

#include <algorithm>
#include <cmath>

namespace dl::reference {
namespace {

Values Softmax(RowLoss::Row z) {
  const double largest = *std::max_element(z.begin(), z.end());
  Values p;
  double sum = 0;
  for (const double value : z) sum += p.emplace_back(std::exp(value - largest));
  for (double& value : p) value /= sum;
  return p;
}

// Merges equal adjacent outputs, then removes blanks.
std::vector<int32_t> Collapsed(const std::vector<int32_t>& path, int32_t blank) {
  std::vector<int32_t> left;
  for (size_t t = 0; t < path.size(); ++t) {
    if (path[t] != blank && (t == 0 || path[t] != path[t - 1])) left.push_back(path[t]);
  }
  return left;
}

struct Paths {
  double all = 0;  // p(l)
  Values through;  // [steps, outputs]: sum over the paths with each output at each step
};

// Enumerates all outputs^steps paths.
Paths Enumerate(RowLoss::Row z, const ExpectedRow& expected) {
  const size_t steps = expected.steps, outputs = z.size() / steps;
  const auto blank = static_cast<int32_t>(outputs) - 1;
  std::vector<Values> p;
  for (size_t t = 0; t < steps; ++t) p.push_back(Softmax(z.subspan(t * outputs, outputs)));
  std::vector<int32_t> wanted(expected.labels.begin(), expected.labels.end());
  std::erase_if(wanted, [](int32_t c) { return c < 0; });
  Paths paths{.through = Values(z.size(), 0.0)};
  std::vector<int32_t> path(steps, 0);
  for (bool more = true; more;) {
    if (Collapsed(path, blank) == wanted) {
      double product = 1;
      for (size_t t = 0; t < steps; ++t) product *= p[t][path[t]];
      paths.all += product;
      for (size_t t = 0; t < steps; ++t) paths.through[t * outputs + path[t]] += product;
    }
    more = false;  // counts up to the next path
    for (size_t t = 0; t < steps && !more; ++t) {
      more = path[t] < blank;
      path[t] = more ? path[t] + 1 : 0;
    }
  }
  return paths;
}

}  // namespace

double Ctc::Of(Row z, const ExpectedRow& expected) const {
  return -std::log(Enumerate(z, expected).all);
}

Values Ctc::Gradient(Row z, const ExpectedRow& expected) const {
  const Paths paths = Enumerate(z, expected);
  const size_t outputs = z.size() / expected.steps;
  Values gradient;
  for (size_t i = 0; i < z.size(); i += outputs) {
    const Values p = Softmax(z.subspan(i, outputs));
    for (size_t k = 0; k < outputs; ++k)
      gradient.push_back(p[k] - paths.through[i + k] / paths.all);
  }
  return gradient;
}

Values Ctc::Prediction(Row z) const { return Softmax(z); }

}  // namespace dl::reference
