#include "nn/layers/flatten.h"

#include "nn/layers/conversion.h"

namespace dl::nn {
namespace {

class FlattenLayer : public UnaryLayer {
 public:
  explicit FlattenLayer(int64_t steps) : steps_(steps) {}

  StatusOr<Tensor> PlanOutput(PlanBuilder& builder, const Tensor& input) override {
    image_ = Layout::Plain(input.layout.dims());
    const int64_t rows = image_.dims()[0] / steps_;
    const std::vector<int64_t> dims{rows, image_.elements() / rows};
    flat_ = Layout::Plain(dims);
    DL_ASSIGN_OR_RETURN(Tensor output, to_plain_.Plan(builder, input, image_));
    output.layout = flat_;
    return output;
  }
  StatusOr<Tensor> PlanGradient(PlanBuilder& builder, const Tensor& gradient,
                                InputGradient) override {
    DL_ASSIGN_OR_RETURN(Tensor output, to_plain_gradient_.Plan(builder, gradient, flat_));
    output.layout = image_;
    return output;
  }
  Status Bind(const PlanMemory& memory) override {
    DL_RETURN_IF_ERROR(to_plain_.Bind(memory));
    return to_plain_gradient_.Bind(memory);
  }
  Status Forward(const Pass&) override { return to_plain_.Run(); }
  Status Backward(const Pass&) override { return to_plain_gradient_.Run(); }

 private:
  int64_t steps_;
  Layout image_, flat_;
  Conversion to_plain_, to_plain_gradient_;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileFlatten(int64_t steps) {
  return std::make_unique<FlattenLayer>(steps);
}

}  // namespace dl::nn
