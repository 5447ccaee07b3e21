#include "nn/layers/compiled_attention.h"

#include "nn/layers/joining.h"
#include "nn/layers/plain_rows_layer.h"
#include "nn/layers/tiled_attention.h"

namespace dl::nn {
namespace {

class SelfAttentionHeads : public PlainRowsLayer {
 public:
  explicit SelfAttentionHeads(const AttentionHeads::Shape& shape) : shape_(shape), heads_(shape) {}

  Bf16Support SupportOfBf16() const override { return Bf16Support::kChooses; }
  Status Forward(const Pass& pass) override {
    if (!uses_tiles_) heads_.Draw(pass);
    return PlainRowsLayer::Forward(pass);
  }

 protected:
  StatusOr<std::vector<int64_t>> PlanRows(PlanBuilder& builder,
                                          const std::vector<int64_t>& dims) override {
    const int64_t examples = dims[0] / shape_.query_steps;
    uses_tiles_ =
        TypeOfRows(builder) == DataType::kBf16 && TiledAttention::CanCompute(builder, shape_);
    if (uses_tiles_) {
      tiles_.Plan(builder, shape_, examples);
    } else {
      DL_RETURN_IF_ERROR(heads_.Plan(builder, examples));
    }
    return std::vector<int64_t>{dims[0], shape_.features};
  }
  Status PlanRowsGradient(PlanBuilder& builder) override {
    if (!uses_tiles_) return heads_.PlanGradient(builder);
    UseInput(builder);
    tiles_.PlanGradient(builder);
    return absl::OkStatus();
  }
  Status BindRows(const PlanMemory& memory) override {
    if (!uses_tiles_) return heads_.Bind(memory, has_gradient());
    tiles_.Bind(memory);
    return absl::OkStatus();
  }
  DataType TypeOfRows(const PlanBuilder& builder) const override { return builder.OutputType(); }
  Status ForwardRows() override {
    if (uses_tiles_) {
      tiles_.Forward(x<uint16_t>(), y<uint16_t>());
      return absl::OkStatus();
    }
    return is_bf16() ? heads_.Forward(Thirds(x<uint16_t>()), y<uint16_t>())
                     : heads_.Forward(Thirds(x()), y());
  }
  Status BackwardRows() override {
    if (uses_tiles_) {
      tiles_.Backward(x<uint16_t>(), dy<uint16_t>(), dx<uint16_t>());
      return absl::OkStatus();
    }
    return is_bf16() ? heads_.Backward(dy<uint16_t>(), Thirds(dx<uint16_t>()))
                     : heads_.Backward(dy(), Thirds(dx()));
  }

 private:
  template <typename Value>
  AttentionHeads::Rows<Value> Thirds(Value* rows) const {
    const int64_t n = shape_.features;
    return {{rows, 3 * n, 0}, {rows, 3 * n, n}, {rows, 3 * n, 2 * n}};
  }

  AttentionHeads::Shape shape_;
  bool uses_tiles_ = false;
  TiledAttention tiles_;  // if uses_tiles_
  AttentionHeads heads_;  // otherwise
};

class CrossAttentionHeads : public JoiningLayer {
 public:
  explicit CrossAttentionHeads(const AttentionHeads::Shape& shape) : shape_(shape), heads_(shape) {}
  Status Forward(const Pass& pass) override {
    heads_.Draw(pass);
    return JoiningLayer::Forward(pass);
  }

 protected:
  Layouts LayoutsOf(std::span<const Tensor> inputs) override {
    Layouts layouts;
    for (const Tensor& input : inputs) layouts.parts.push_back(Layout::Plain(input.layout.dims()));
    layouts.output = layouts.parts.front();
    return layouts;
  }
  Status PlanMore(PlanBuilder& builder) override {
    return heads_.Plan(builder, layout().dims()[0] / shape_.query_steps);
  }
  StatusOr<std::vector<Tensor>> PlanInputGradients(PlanBuilder& builder,
                                                   std::span<const InputGradient> inputs) override {
    DL_RETURN_IF_ERROR(heads_.PlanGradient(builder));
    // The heads write all three gradients at once, even if an input needs none.
    const std::vector<InputGradient> both(inputs.size(), InputGradient::kNeeded);
    return JoiningLayer::PlanInputGradients(builder, both);
  }
  Status BindMore(const PlanMemory& memory) override { return heads_.Bind(memory, has_gradient()); }
  Status Join() override { return heads_.Forward(RowsOf(parts()[0].x, parts()[1].x), y()); }
  Status JoinGradients() override {
    return heads_.Backward(dy(), RowsOf(parts()[0].dx, parts()[1].dx));
  }

 private:
  template <typename Value>
  AttentionHeads::Rows<Value> RowsOf(Value* asks, Value* answers) const {
    const int64_t n = shape_.features;
    return {{asks, n, 0}, {answers, 2 * n, 0}, {answers, 2 * n, n}};
  }

  AttentionHeads::Shape shape_;
  AttentionHeads heads_;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileSelfAttentionHeads(const AttentionHeads::Shape& shape) {
  return std::make_unique<SelfAttentionHeads>(shape);
}
std::unique_ptr<CompiledLayer> CompileCrossAttentionHeads(const AttentionHeads::Shape& shape) {
  return std::make_unique<CrossAttentionHeads>(shape);
}

}  // namespace dl::nn
