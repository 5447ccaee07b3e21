// 1-D convolution (cross-correlation) over the steps of a sequence (Waibel et al., "Phoneme
// recognition using time-delay neural networks", IEEE Trans. ASSP 37, 1989):
//   y[t] = activation(b + sum_k W[., ., k] x[t stride - padding + k dilation])
// with W [filters, features / groups, kernel] and b [filters].
//
// A causal convolution has (kernel - 1) dilation steps of zeros in front and none at the end. A
// step then does not depend on later steps (van den Oord et al., "WaveNet", arXiv:1609.03499,
// section 2.1).
//
// Examples of variable length are padded after their own last step. The number of steps of an
// example in the output follows from its own length (nn/conf/step_lengths.h). With padding "same"
// and a stride, the zeros in front are as many as for the longest example.
#pragma once

#include "nn/conf/layers/conv2d.h"
#include "nn/conf/layers/window1d.h"

namespace dl::nn {

struct LayerSample;

struct Conv1D : WeightedLayer<Conv1D> {
  static constexpr std::string_view kTag = "conv1d";
  static constexpr std::string_view kNamePrefix = "conv";
  static constexpr InputNeed kNeeds = InputNeed::kSequence;
  static constexpr bool kTakesVariableLength = true;

  Conv1D() = default;
  explicit Conv1D(int64_t filter_count) : filters(filter_count) {}
  Conv1D& Kernel(int64_t steps) {
    window.kernel = {steps};
    return *this;
  }
  Conv1D& Stride(int64_t steps) {
    window.stride = {steps};
    return *this;
  }
  Conv1D& Padding(int64_t steps) {
    window.padding = {.steps = steps};
    return *this;
  }
  Conv1D& SamePadding() {
    window.padding = {.same = true};
    return *this;
  }
  Conv1D& Dilation(int64_t steps) {
    window.dilation = {steps};
    return *this;
  }
  Conv1D& Groups(int64_t count) {
    groups = count;
    return *this;
  }
  Conv1D& Causal() {
    causal = true;
    return *this;
  }

  int64_t filters = 0;  // 1 to limits::kMaxExtent; required
  int64_t groups = 1;   // at least 1; divides features and filters
  Window1D window{.kernel = {3}, .stride = {1}};
  bool causal = false;  // zeros only in front; excludes `padding`

  bool operator==(const Conv1D&) const = default;
  // Returns the number of zero steps in front of the input of a causal convolution.
  int64_t StepsInFront() const { return causal ? window.As2D().Reach().height - 1 : 0; }
  // Returns the convolution of images that computes the same result from AsImage(input). The caller
  // must insert StepsInFront() rows of zeros before the first row.
  Conv2D As2D() const;
  // Adds the mistakes of Conv2D::Check for As2D() and of CheckBias. Also adds a mistake if `causal`
  // is combined with padding.
  void Check(Mistakes& mistakes) const;
  // Returns a sequence with `filters` features in each step. Adds a mistake and returns nullopt if
  // the groups do not divide the features, or if the kernel does not fit.
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  std::vector<ParameterConf> Parameters(const InputType& input,
                                        const WeightDefaults& defaults) const;
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(kFiltersField, self.filters);
    visit(kGroupsField, self.groups);
    Window1D::Fields(self.window, visit);
    visit(Window1D::Named(kDilationField, "the dilation"), self.window.dilation);
    visit(kCausalField, self.causal);
    WeightKeys::Fields(self, visit);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
