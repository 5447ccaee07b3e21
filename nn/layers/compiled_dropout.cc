#include "nn/layers/compiled_dropout.h"

#include <algorithm>

#include "base/philox.h"
#include "base/portable_math.h"
#include "nn/backend/parallel_for.h"
#include "nn/kernels/activations.h"
#include "nn/layers/conversion.h"
#include "nn/layers/own_copy.h"

namespace dl::nn {
namespace {

// The factor of each value of a minibatch, in logical order.
class Mask {
 public:
  Mask(const Dropout& conf, const InputType& input)
      : kind_(conf.kind),
        threshold_(DropThreshold(conf.probability)),
        deviation_(portable::Sqrt(conf.probability / (1.0 - conf.probability))),
        alpha_(AlphaTermsOf(conf.probability)),
        scale_(static_cast<float>(adds() ? alpha_.scale : 1.0 / (1.0 - conf.probability))),
        steps_(input.Steps()),
        channels_(input.channels),
        area_(input.IsSpatial() ? input.Pixels() : 1) {}

  bool draws_whole_channels() const { return kind_ == DropoutKind::kSpatial; }
  bool adds() const { return kind_ == DropoutKind::kAlpha; }
  // kUint8: 1 for a kept value, which is multiplied by scale(), and 0 for a dropped value.
  // kFloat32: factors.
  DataType type() const {
    return kind_ == DropoutKind::kGaussian ? DataType::kFloat32 : DataType::kUint8;
  }
  float scale() const { return scale_; }
  // Returns the number of random choices for `elements` values of the minibatch.
  int64_t Draws(int64_t elements) const {
    return draws_whole_channels() ? elements / (steps_ * area_) : elements;
  }

  // `drawn` is scratch memory of Draws(elements), used if whole channels are dropped.
  void Draw(const RandomStream& stream, uint8_t* drawn, uint8_t* kept, int64_t elements) const {
    if (!draws_whole_channels()) return Choose(stream, elements, kept);
    Choose(stream, Draws(elements), drawn);
    Spread(drawn, kept, elements);
  }
  void Draw(RandomStream stream, float* factors, int64_t elements) const {
    for (int64_t i = 0; i < elements; ++i)
      factors[i] = static_cast<float>(1.0 + deviation_ * stream.NextNormal());
  }
  // Sets the terms that are added after the multiplication.
  void Add(const uint8_t* kept, float* added, int64_t elements) const {
    const auto dropped = static_cast<float>(alpha_.dropped);
    const auto shift = static_cast<float>(alpha_.shift);
    ForElements(elements, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) added[i] = kept[i] == 0 ? dropped : shift;
    });
  }

 private:
  void Choose(const RandomStream& stream, int64_t draws, uint8_t* kept) const {
    ForElements(draws, [&](int64_t begin, int64_t end) {
      DropoutChoice(stream, threshold_, {begin, end}, kept);
    });
  }

  // Copies the choice for each channel to all of its values: [examples, channels] to [examples,
  // channels, area] or to [examples, steps, channels].
  void Spread(const uint8_t* drawn, uint8_t* kept, int64_t elements) const {
    if (steps_ == 1) {
      return ForRows(elements / area_, area_, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) std::fill_n(kept + i * area_, area_, drawn[i]);
      });
    }
    ForRows(elements / channels_, channels_, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row)
        std::copy_n(drawn + row / steps_ * channels_, channels_, kept + row * channels_);
    });
  }

  DropoutKind kind_;
  uint32_t threshold_;
  double deviation_;
  AlphaTerms alpha_;
  float scale_;
  int64_t steps_, channels_, area_;
};

class DropoutLayer : public UnaryLayer {
 public:
  DropoutLayer(const Dropout& conf, const InputType& input, int64_t layer_index)
      : random_(conf, input), layer_index_(layer_index) {}

  StatusOr<Tensor> PlanOutput(PlanBuilder& builder, const Tensor& input) override {
    builder.arena().Use(input.buffer);
    if (builder.purpose() == Purpose::kInference) return input;
    // The mask is drawn in logical order and then converted to the activation's layout.
    logical_ = NewTensor(builder, Layout::Plain(input.layout.dims(), random_.type()));
    DL_ASSIGN_OR_RETURN(mask_, to_mask_.Plan(builder, logical_, input.layout.As(random_.type())));
    elements_ = input.layout.elements();
    if (random_.draws_whole_channels())
      drawn_ = builder.arena().Add<uint8_t>(random_.Draws(elements_));
    if (random_.adds()) {
      logical_added_ = NewTensor(builder, Layout::Plain(input.layout.dims()));
      DL_ASSIGN_OR_RETURN(added_, to_added_.Plan(builder, logical_added_, input.layout));
    }
    output_ = own_output_.Plan(builder, input);
    return output_;
  }

  StatusOr<Tensor> PlanGradient(PlanBuilder& builder, const Tensor& gradient,
                                InputGradient) override {
    DL_ASSIGN_OR_RETURN(const Tensor converted,
                        to_gradient_.Plan(builder, gradient, output_.layout));
    gradient_ = own_gradient_.Plan(builder, converted);
    builder.arena().Use(mask_.buffer);
    return gradient_;
  }

  Status Bind(const PlanMemory& memory) override {
    DL_RETURN_IF_ERROR(to_mask_.Bind(memory));
    DL_RETURN_IF_ERROR(to_added_.Bind(memory));
    DL_RETURN_IF_ERROR(to_gradient_.Bind(memory));
    own_output_.Bind(memory);
    own_gradient_.Bind(memory);
    if (output_.empty()) return absl::OkStatus();
    y_ = memory.Buffer(output_.buffer);
    if (random_.type() == DataType::kUint8) {
      logical_kept_ = memory.Buffer<uint8_t>(logical_.buffer);
      kept_ = memory.Buffer<uint8_t>(mask_.buffer);
      drawn_values_ = memory.Buffer<uint8_t>(drawn_);
    } else {
      logical_factors_ = memory.Buffer(logical_.buffer);
      factors_ = memory.Buffer(mask_.buffer);
    }
    logical_added_values_ = memory.Buffer(logical_added_.buffer);
    added_values_ = memory.Buffer(added_.buffer);
    dy_ = memory.Buffer(gradient_.buffer);
    stored_ = output_.layout.stored_elements();
    return absl::OkStatus();
  }

  Status Forward(const Pass& pass) override {
    if (output_.empty()) return absl::OkStatus();
    own_output_.Run();
    const RandomStream stream(pass.KeyFor(RandomPurpose::kDropout, layer_index_));
    if (kept_ != nullptr) {
      random_.Draw(stream, drawn_values_, logical_kept_, elements_);
    } else {
      random_.Draw(stream, logical_factors_, elements_);
    }
    if (random_.adds()) random_.Add(logical_kept_, logical_added_values_, elements_);
    DL_RETURN_IF_ERROR(to_mask_.Run());
    MultiplyByMask(y_);
    if (!random_.adds()) return absl::OkStatus();
    DL_RETURN_IF_ERROR(to_added_.Run());
    ForElements(stored_, [&](int64_t begin, int64_t end) {
      AddTo(y_ + begin, added_values_ + begin, end - begin);
    });
    return absl::OkStatus();
  }

  Status Backward(const Pass&) override {
    DL_RETURN_IF_ERROR(to_gradient_.Run());
    own_gradient_.Run();
    MultiplyByMask(dy_);
    return absl::OkStatus();
  }

 private:
  static Tensor NewTensor(PlanBuilder& builder, const Layout& layout) {
    return {.layout = layout, .buffer = builder.arena().Add(layout)};
  }
  void MultiplyByMask(float* x) const {
    ForElements(stored_, [&](int64_t begin, int64_t end) {
      if (kept_ != nullptr) {
        MultiplyByKept(kept_ + begin, random_.scale(), x + begin, end - begin);
      } else {
        MultiplyBy(factors_ + begin, x + begin, end - begin);
      }
    });
  }

  Mask random_;
  int64_t layer_index_;
  Conversion to_mask_, to_added_, to_gradient_;
  OwnCopy own_output_, own_gradient_;
  // Empty in a plan for inference.
  Tensor output_, logical_, mask_, logical_added_, added_, gradient_;
  BufferId drawn_ = kNoBuffer;
  float* y_ = nullptr;
  // The mask, as bytes or as factors, in logical order and in the activation's layout.
  uint8_t* logical_kept_ = nullptr;
  const uint8_t* kept_ = nullptr;
  float* logical_factors_ = nullptr;
  const float* factors_ = nullptr;
  uint8_t* drawn_values_ = nullptr;
  float* logical_added_values_ = nullptr;
  const float* added_values_ = nullptr;
  float* dy_ = nullptr;
  int64_t stored_ = 0, elements_ = 0;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileDropout(const Dropout& conf, const InputType& input,
                                              int64_t layer_index) {
  return std::make_unique<DropoutLayer>(conf, input, layer_index);
}

}  // namespace dl::nn
