#include "dataset/readers/example_weights.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "dataset/readers/numbers.h"

namespace dl::dataset {

StatusOr<float> WeightOf(std::string_view text) {
  const auto weight = FloatOf(text);
  if (!weight.ok()) {
    return InvalidArgument({.message = absl::StrCat("the weight of the example is not valid: ",
                                                    weight.status().message()),
                            .remedy = "Give each example a finite number of at least 0"});
  }
  if (*weight >= 0) return *weight;
  return InvalidArgument({.message = absl::StrCat("the weight is ", *weight, ", which is below 0"),
                          .remedy = "Give each example a weight of at least 0"});
}

Status CheckSomeWeight(const ExampleTable& table) {
  if (std::ranges::any_of(table.weights, [](float weight) { return weight > 0; }))
    return absl::OkStatus();
  return InvalidArgument(
      {.message = "all weights are 0, so no example would count in the loss",
       .remedy = "Give some examples weights above 0, or leave the weights out"});
}

Status ScaleWeights(const Schema* training, ExampleTable& table) {
  if (!table.schema.weights) return absl::OkStatus();
  double mean = 0;
  if (training != nullptr) {
    table.schema.weights = training->weights;
    mean = training->weights->mean;
  } else {
    for (const float weight : table.weights) mean += static_cast<double>(weight);
    mean /= static_cast<double>(table.examples);
    table.schema.weights->mean = mean;
  }
  for (size_t i = 0; i < table.weights.size(); ++i) {
    const float weight = table.weights[i];
    table.weights[i] = static_cast<float>(static_cast<double>(weight) / mean);
    if (std::isfinite(table.weights[i])) continue;
    return InvalidArgument({.message = absl::StrCat("example ", i, " has the weight ", weight,
                                                    ", which is too large in relation to ", mean,
                                                    ", the mean weight of the training split"),
                            .remedy = "Give this example a weight that is nearer to the mean"});
  }
  return absl::OkStatus();
}

}  // namespace dl::dataset
