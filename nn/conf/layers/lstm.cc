#include "nn/conf/layers/lstm.h"

#include "absl/strings/str_cat.h"
#include "nn/conf/layers/registry.h"

namespace dl::nn {

void Lstm::Check(Mistakes& mistakes) const {
  constexpr int64_t kMostUnits = limits::kMaxExtent / 4;
  if (units <= kMostUnits) return;
  mistakes.Add(absl::StrCat("has ", units, " units"), absl::StrCat("Use at most ", kMostUnits));
}

std::optional<InputType> Lstm::OutputType(const InputType& input, Mistakes&) const {
  return input.WithRowsOf(units);
}

std::vector<ParameterConf> Lstm::Parameters(const InputType& input,
                                            const WeightDefaults& defaults) const {
  // The fans are those of one gate.
  return {
      Weight("weight", {4 * units, input.channels}, {.in = input.channels, .out = units}, defaults),
      Weight("recurrent_weight", {4 * units, units}, {.in = units, .out = units}, defaults),
      Bias("bias", 4 * units, input.channels, defaults),
  };
}

std::vector<LayerSample> Lstm::Samples() {
  return {
      {Lstm(3), Sequence(4, 2)},
      {Lstm(2).ForgetBias(0).WeightInit(Normal(0.5)), Sequence(3, 2)},
      {Lstm(5).L2(0.01).WeightDecay(0.1), Sequence(2, 4)},
      {Lstm(17), Sequence(6, 3)},
      {Lstm(2).L1(0.001).LearningRateFactor(0.5), Sequence(3, 2)},
      {Lstm(3).Frozen(), Sequence(3, 2)},
  };
}

}  // namespace dl::nn
