#include "nn/layers/product_layer.h"

namespace dl::nn {
namespace {

class ConvolutionKernels : public ProductKernels {
 public:
  explicit ConvolutionKernels(const ConvolutionGeometry& g) : g_(g) {}
  Layout CanonicalWeights() const override { return ConvolutionWeightsLayout(g_); }
  bool HasBias() const override { return g_.has_bias; }
  const ProductTypes& Types() const override { return g_.types; }
  StatusOr<Primitive> Forward(const Layout& source) const override {
    return ConvolutionForward(g_, source);
  }
  StatusOr<Primitive> BackwardData(const Layout& diff) const override {
    return ConvolutionBackwardData(g_, diff);
  }
  StatusOr<Primitive> BackwardWeights(const Layout& source, const Layout& diff) const override {
    return ConvolutionBackwardWeights(g_, source, diff);
  }

 private:
  ConvolutionGeometry g_;
};

class InnerProductKernels : public ProductKernels {
 public:
  explicit InnerProductKernels(const InnerProductGeometry& g) : g_(g) {}
  Layout CanonicalWeights() const override { return InnerProductWeightsLayout(g_); }
  bool HasBias() const override { return g_.has_bias; }
  const ProductTypes& Types() const override { return g_.types; }
  StatusOr<Primitive> Forward(const Layout& source) const override {
    return InnerProductForward(g_, source);
  }
  StatusOr<Primitive> BackwardData(const Layout& diff) const override {
    return InnerProductBackwardData(g_, diff);
  }
  StatusOr<Primitive> BackwardWeights(const Layout& source, const Layout& diff) const override {
    return InnerProductBackwardWeights(g_, source, diff);
  }

 private:
  InnerProductGeometry g_;
};

}  // namespace

std::unique_ptr<ProductKernels> MakeConvolutionKernels(const ConvolutionGeometry& geometry) {
  return std::make_unique<ConvolutionKernels>(geometry);
}
std::unique_ptr<ProductKernels> MakeInnerProductKernels(const InnerProductGeometry& geometry) {
  return std::make_unique<InnerProductKernels>(geometry);
}

StatusOr<Tensor> ProductLayer::PlanOutput(PlanBuilder& builder, const Tensor& input) {
  ProductTypes types;
  if (builder.precision() == Precision::kBf16) {
    types = {.factors = DataType::kBf16,
             .for_weights = DataType::kBf16,
             .destination = builder.OutputType(),
             .diff_source = input.layout.type()};
  }
  kernels_ = MakeKernels(input.layout, types, builder.kernels());
  input_ = input;
  DL_ASSIGN_OR_RETURN(forward_, kernels_->Forward(Layout()));
  DL_RETURN_IF_ERROR(PlanWeights(builder));
  if (kernels_->HasBias()) {
    DL_ASSIGN_OR_RETURN(bias_, builder.Parameter(name_, prefix_ + "bias"));
    const Layout bias = forward_.layout(Role::kBias);
    DL_RETURN_IF_ERROR(builder.SetParameterLayout(bias_, bias, bias));
  }
  DL_ASSIGN_OR_RETURN(converted_, source_.Plan(builder, input, forward_.layout(Role::kSource)));
  forward_scratch_ = AddBuffer(builder, forward_, Role::kScratchpad);
  output_ = Tensor{.layout = forward_.layout(Role::kDestination),
                   .buffer = AddBuffer(builder, forward_, Role::kDestination)};
  return output_;
}

Status ProductLayer::PlanWeights(PlanBuilder& builder) {
  DL_ASSIGN_OR_RETURN(weight_, builder.Parameter(name_, prefix_ + "weight"));
  const Layout wanted = forward_.layout(Role::kWeights);
  weight_layout_ = wanted;
  if (wanted.type() != DataType::kFloat32) {
    DL_ASSIGN_OR_RETURN(const Primitive gradient, kernels_->BackwardWeights(Layout(), Layout()));
    weight_layout_ = gradient.layout(Role::kDiffWeights);
  }
  DL_RETURN_IF_ERROR(
      builder.SetParameterLayout(weight_, kernels_->CanonicalWeights(), weight_layout_));
  return forward_weights_.Plan(builder, weight_, weight_layout_, wanted);
}

StatusOr<Tensor> ProductLayer::PlanGradient(PlanBuilder& builder, const Tensor& gradient,
                                            InputGradient input) {
  DL_RETURN_IF_ERROR(PlanWeightGradient(builder, gradient));
  if (input == InputGradient::kUnused) return Tensor{};
  return PlanDataGradient(builder, gradient);
}

Status ProductLayer::PlanWeightGradient(PlanBuilder& builder, const Tensor& gradient) {
  DL_ASSIGN_OR_RETURN(backward_weights_, kernels_->BackwardWeights(Layout(), Layout()));
  const Layout source = backward_weights_.layout(Role::kSource);
  // The copy for the forward kernel is used if it has the right layout.
  const Tensor& from = source == converted_.layout ? converted_ : input_;
  DL_ASSIGN_OR_RETURN(for_weights_source_, source_for_weights_.Plan(builder, from, source));
  DL_ASSIGN_OR_RETURN(for_weights_gradient_,
                      gradient_for_weights_.Plan(builder, gradient,
                                                 backward_weights_.layout(Role::kDiffDestination)));
  weights_scratch_ = AddBuffer(builder, backward_weights_, Role::kScratchpad);
  const Layout diff = backward_weights_.layout(Role::kDiffWeights);
  if (!(diff == weight_layout_)) {
    DL_ASSIGN_OR_RETURN(gradient_reorder_, Reorder(diff, weight_layout_));
    own_gradient_ = builder.arena().Add(diff);
    gradient_reorder_scratch_ = AddBuffer(builder, gradient_reorder_, Role::kScratchpad);
  }
  return absl::OkStatus();
}

StatusOr<Tensor> ProductLayer::PlanDataGradient(PlanBuilder& builder, const Tensor& gradient) {
  DL_ASSIGN_OR_RETURN(backward_data_, kernels_->BackwardData(Layout()));
  const Layout diff = backward_data_.layout(Role::kDiffDestination);
  // The copy for the gradient of the weights is used if it has the right layout.
  const Tensor& from = diff == for_weights_gradient_.layout ? for_weights_gradient_ : gradient;
  DL_ASSIGN_OR_RETURN(for_data_, gradient_for_data_.Plan(builder, from, diff));
  DL_RETURN_IF_ERROR(
      data_weights_.Plan(builder, weight_, weight_layout_, backward_data_.layout(Role::kWeights)));
  data_scratch_ = AddBuffer(builder, backward_data_, Role::kScratchpad);
  diff_source_ = Tensor{.layout = backward_data_.layout(Role::kDiffSource),
                        .buffer = AddBuffer(builder, backward_data_, Role::kDiffSource)};
  return diff_source_;
}

Status ProductLayer::Bind(const PlanMemory& memory) {
  for (Conversion* conversion :
       {&source_, &source_for_weights_, &gradient_for_weights_, &gradient_for_data_}) {
    DL_RETURN_IF_ERROR(conversion->Bind(memory));
  }
  DL_RETURN_IF_ERROR(forward_weights_.Bind(memory));
  float* const bias = bias_ < 0 ? nullptr : memory.Parameter(bias_);
  float* const diff_bias = bias_ < 0 ? nullptr : memory.Gradient(bias_);
  DL_ASSIGN_OR_RETURN(run_forward_,
                      forward_.Bind({{Role::kSource, memory.Untyped(converted_.buffer)},
                                     {Role::kWeights, forward_weights_.Values()},
                                     {Role::kBias, bias},
                                     {Role::kScratchpad, memory.Buffer(forward_scratch_)},
                                     {Role::kDestination, memory.Untyped(output_.buffer)}}));
  float* const diff =
      own_gradient_ == kNoBuffer ? memory.Gradient(weight_) : memory.Buffer(own_gradient_);
  if (backward_weights_.empty()) return absl::OkStatus();
  DL_ASSIGN_OR_RETURN(
      run_weights_, backward_weights_.Bind(
                        {{Role::kSource, memory.Untyped(for_weights_source_.buffer)},
                         {Role::kDiffWeights, diff},
                         {Role::kDiffBias, diff_bias},
                         {Role::kScratchpad, memory.Buffer(weights_scratch_)},
                         {Role::kDiffDestination, memory.Untyped(for_weights_gradient_.buffer)}}));
  if (!gradient_reorder_.empty()) {
    DL_ASSIGN_OR_RETURN(
        run_gradient_reorder_,
        gradient_reorder_.Bind({{Role::kSource, diff},
                                {Role::kDestination, memory.Gradient(weight_)},
                                {Role::kScratchpad, memory.Buffer(gradient_reorder_scratch_)}}));
  }
  if (backward_data_.empty()) return absl::OkStatus();
  DL_RETURN_IF_ERROR(data_weights_.Bind(memory));
  DL_ASSIGN_OR_RETURN(
      run_data_, backward_data_.Bind({{Role::kDiffSource, memory.Untyped(diff_source_.buffer)},
                                      {Role::kWeights, data_weights_.Values()},
                                      {Role::kScratchpad, memory.Buffer(data_scratch_)},
                                      {Role::kDiffDestination, memory.Untyped(for_data_.buffer)}}));
  return absl::OkStatus();
}

Status ProductLayer::Forward(const Pass&) {
  DL_RETURN_IF_ERROR(source_.Run());
  DL_RETURN_IF_ERROR(forward_weights_.Run());
  return run_forward_.Run();
}

Status ProductLayer::Backward(const Pass&) {
  DL_RETURN_IF_ERROR(source_for_weights_.Run());
  DL_RETURN_IF_ERROR(gradient_for_weights_.Run());
  DL_RETURN_IF_ERROR(run_weights_.Run());
  if (!run_gradient_reorder_.empty()) DL_RETURN_IF_ERROR(run_gradient_reorder_.Run());
  if (run_data_.empty()) return absl::OkStatus();
  DL_RETURN_IF_ERROR(gradient_for_data_.Run());
  DL_RETURN_IF_ERROR(data_weights_.Run());
  return run_data_.Run();
}

}  // namespace dl::nn
