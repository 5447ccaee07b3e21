#include "nn/layers/compiled_elementwise.h"

#include <algorithm>

#include "nn/backend/parallel_for.h"
#include "nn/kernels/elementwise_kernels.h"
#include "nn/layers/joining.h"

namespace dl::nn {
namespace {

// All tensors have the layout of the first input.
class EachElementLayer : public JoiningLayer {
 protected:
  // Compute the values of a range of the output, or of the inputs' gradients. Several threads call
  // these functions at the same time.
  virtual void Compute(IndexRange range) = 0;
  virtual void ComputeGradients(IndexRange range) = 0;

  struct Place {
    int64_t at, n;  // index of the first value, number of values
  };
  static Place PlaceOf(IndexRange range) { return {range.begin, range.size()}; }
  Tensor NewTensor(PlanBuilder& builder) const {
    return JoiningLayer::NewTensor(builder, layout());
  }

 private:
  Layouts LayoutsOf(std::span<const Tensor> inputs) final {
    const Layout& one = inputs.front().layout;
    return {.parts = std::vector<Layout>(inputs.size(), one), .output = one};
  }
  Status Join() final {
    ForElements(layout().stored_elements(), [&](int64_t begin, int64_t end) {
      Compute({begin, end});
    });
    return absl::OkStatus();
  }
  Status JoinGradients() final {
    ForElements(layout().stored_elements(), [&](int64_t begin, int64_t end) {
      ComputeGradients({begin, end});
    });
    return absl::OkStatus();
  }
};

class MultiplyLayer : public EachElementLayer {
  StatusOr<std::vector<Tensor>> PlanInputGradients(PlanBuilder& builder,
                                                   std::span<const InputGradient> inputs) override {
    for (const Part& part : parts()) builder.arena().Use(part.input.buffer);
    return JoiningLayer::PlanInputGradients(builder, inputs);
  }

  void Compute(IndexRange range) override {
    const auto [at, n] = PlaceOf(range);
    ProductOf(parts()[0].x + at, parts()[1].x + at, y() + at, n);
    for (size_t i = 2; i < parts().size(); ++i) ProductOf(y() + at, parts()[i].x + at, y() + at, n);
  }

  // The gradient of an input is dy times the product of all other inputs. The product is computed
  // from scratch, because the quotient output / input is undefined at 0.
  void ComputeGradients(IndexRange range) override {
    const auto [at, n] = PlaceOf(range);
    for (size_t i = 0; i < parts().size(); ++i) {
      float* const dx = parts()[i].dx;
      const float* product = dy();
      for (size_t other = 0; dx != nullptr && other < parts().size(); ++other) {
        if (other == i) continue;
        ProductOf(product + at, parts()[other].x + at, dx + at, n);
        product = dx;
      }
    }
  }
};

class AverageLayer : public EachElementLayer {
  // All inputs share one gradient, which must not be overwritten when several inputs need it.
  StatusOr<std::vector<Tensor>> PlanInputGradients(PlanBuilder& builder,
                                                   std::span<const InputGradient> inputs) override {
    Tensor gradient = NewTensor(builder);
    parts().front().gradient = gradient;
    if (std::count(inputs.begin(), inputs.end(), InputGradient::kNeeded) > 1)
      gradient.keep = Tensor::Keep::kNeeded;
    return std::vector<Tensor>(inputs.size(), gradient);
  }

  void Compute(IndexRange range) override {
    const auto [at, n] = PlaceOf(range);
    const size_t last = parts().size() - 1;
    const float* sum = parts()[0].x;
    for (size_t i = 1; i <= last; ++i) {
      ScaledSumOf(sum + at, parts()[i].x + at, i == last ? Share() : 1.0f, y() + at, n);
      sum = y();
    }
  }

  void ComputeGradients(IndexRange range) override {
    const auto [at, n] = PlaceOf(range);
    ScaledBy(dy() + at, Share(), parts().front().dx + at, n);
  }

  float Share() { return static_cast<float>(1.0 / static_cast<double>(parts().size())); }
};

class MaximumLayer : public EachElementLayer {
  Status PlanMore(PlanBuilder& builder) override {
    of_ = builder.arena().Add(layout().As(DataType::kInt32));
    return absl::OkStatus();
  }

  StatusOr<std::vector<Tensor>> PlanInputGradients(PlanBuilder& builder,
                                                   std::span<const InputGradient> inputs) override {
    builder.arena().Use(of_);
    return JoiningLayer::PlanInputGradients(builder, inputs);
  }

  Status BindMore(const PlanMemory& memory) override {
    of_values_ = memory.Buffer<int32_t>(of_);
    return absl::OkStatus();
  }

  void Compute(IndexRange range) override {
    const auto [at, n] = PlaceOf(range);
    std::copy_n(parts()[0].x + at, n, y() + at);
    std::fill_n(of_values_ + at, n, 0);
    for (size_t i = 1; i < parts().size(); ++i)
      MaximumWith(parts()[i].x + at, static_cast<int32_t>(i), y() + at, of_values_ + at, n);
  }

  void ComputeGradients(IndexRange range) override {
    const auto [at, n] = PlaceOf(range);
    for (size_t i = 0; i < parts().size(); ++i) {
      if (parts()[i].dx == nullptr) continue;
      GradientOfMaximum(dy() + at, of_values_ + at, static_cast<int32_t>(i), parts()[i].dx + at, n);
    }
  }

  BufferId of_ = kNoBuffer;  // for each value, the index of the input that has the maximum
  int32_t* of_values_ = nullptr;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileMultiply() { return std::make_unique<MultiplyLayer>(); }
std::unique_ptr<CompiledLayer> CompileAverage() { return std::make_unique<AverageLayer>(); }
std::unique_ptr<CompiledLayer> CompileMaximum() { return std::make_unique<MaximumLayer>(); }

}  // namespace dl::nn
