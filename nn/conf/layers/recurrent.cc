#include "nn/conf/layers/recurrent.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace dl::nn {

std::vector<std::string> RecurrentKeys::Prefixes() const {
  if (IsBidirectional()) return {"", "backward_"};
  return {""};
}

void RecurrentKeys::CheckUnits(int64_t units, int64_t gates, Mistakes& mistakes) const {
  // Two directions have twice as many values.
  const int64_t most = limits::kMaxExtent / std::max<int64_t>(gates, 2);
  if (units > most) {
    mistakes.Add(absl::StrCat("has ", units, " units"), absl::StrCat("Use at most ", most));
  }
  if (merge != StateMerge::kConcat && !IsBidirectional()) {
    mistakes.Add("has merge but only one direction",
                 R"(Make it "direction": "bidirectional", or leave "merge" out)");
  }
  if (stateful && direction != Direction::kForward) {
    mistakes.Add("is stateful and goes backward, so it cannot continue from the previous minibatch",
                 R"(Make it "direction": "forward", or leave "stateful" out)");
  }
}

std::vector<CarriedConf> RecurrentKeys::CarriedOf(std::initializer_list<std::string_view> names,
                                                  int64_t units) const {
  std::vector<CarriedConf> carried;
  for (const std::string_view name : names) {
    if (stateful) carried.push_back({.name = std::string(name), .features = units});
  }
  return carried;
}

InputType RecurrentKeys::OutputTypeOf(const InputType& input, int64_t units) const {
  const bool is_concatenated = IsBidirectional() && merge == StateMerge::kConcat;
  const int64_t features = is_concatenated ? 2 * units : units;
  return return_sequences ? input.WithRowsOf(features) : FeedForward(features);
}

std::vector<ParameterConf> RecurrentKeys::ParametersOf(const Products& products,
                                                       const InputType& input,
                                                       const WeightDefaults& defaults) const {
  const int64_t rows = products.gates * products.units, features = input.channels;
  return {
      Weight(products.prefix + "weight", {rows, features}, {.in = features, .out = products.units},
             defaults),
      Weight(products.prefix + "recurrent_weight", {rows, products.units},
             {.in = products.units, .out = products.units}, defaults),
      Bias(products.prefix + "bias", rows, features, defaults),
  };
}

}  // namespace dl::nn
