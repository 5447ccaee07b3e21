// Base of dense and convolution layers: a product with weights, an optional bias, and the two
// gradients. Weights and their gradients have the layout of the forward kernel. Kernels that
// require another layout use converted copies. With bf16, weights and their gradients have the
// layout in which the gradient is computed, and both kernels that read weights use copies.
#pragma once

#include <memory>
#include <string>

#include "nn/backend/convolution_primitive.h"
#include "nn/backend/inner_product.h"
#include "nn/layers/conversion.h"
#include "nn/layers/parameter_copy.h"

namespace dl::nn {

// The three kernels of a product of one geometry. An empty layout lets oneDNN choose.
class ProductKernels {
 public:
  virtual ~ProductKernels() = default;
  virtual Layout CanonicalWeights() const = 0;
  virtual bool HasBias() const = 0;
  virtual const ProductTypes& Types() const = 0;
  virtual StatusOr<Primitive> Forward(const Layout& source) const = 0;
  virtual StatusOr<Primitive> BackwardData(const Layout& diff_destination) const = 0;
  virtual StatusOr<Primitive> BackwardWeights(const Layout& source,
                                              const Layout& diff_destination) const = 0;
};

std::unique_ptr<ProductKernels> MakeConvolutionKernels(const ConvolutionGeometry& geometry);
std::unique_ptr<ProductKernels> MakeInnerProductKernels(const InnerProductGeometry& geometry);

class ProductLayer : public UnaryLayer {
 public:
  // `prefix` begins the names of the parameters if the model's layer has several products.
  explicit ProductLayer(std::string name, std::string prefix = "")
      : name_(std::move(name)), prefix_(std::move(prefix)) {}

  bool HasParameters() const override { return true; }
  Bf16Support SupportOfBf16() const override { return Bf16Support::kChooses; }
  GradientUse UseOfGradient() const override {
    const ProductTypes& types = kernels_->Types();
    const bool rounds = types.factors == DataType::kBf16 && types.for_weights == DataType::kBf16;
    return rounds ? GradientUse::kRounds : GradientUse::kComputes;
  }
  Status Bind(const PlanMemory& memory) override;
  Status Forward(const Pass& pass) override;
  Status Backward(const Pass& pass) override;

 protected:
  StatusOr<Tensor> PlanOutput(PlanBuilder& builder, const Tensor& input) override;
  StatusOr<Tensor> PlanGradient(PlanBuilder& builder, const Tensor& gradient,
                                InputGradient input) override;
  // Returns the kernels for an input of this layout.
  virtual std::unique_ptr<ProductKernels> MakeKernels(const Layout& input,
                                                      const ProductTypes& types,
                                                      KernelSet kernels) = 0;

 private:
  Status PlanWeights(PlanBuilder& builder);
  Status PlanWeightGradient(PlanBuilder& builder, const Tensor& gradient);
  StatusOr<Tensor> PlanDataGradient(PlanBuilder& builder, const Tensor& gradient);

  std::string name_, prefix_;
  std::unique_ptr<ProductKernels> kernels_;
  ParameterId weight_ = -1, bias_ = -1;
  Layout weight_layout_;
  Primitive forward_, backward_data_, backward_weights_;
  ParameterCopy forward_weights_, data_weights_;
  Primitive gradient_reorder_;  // from the layout of backward weights
  Conversion source_, source_for_weights_, gradient_for_weights_, gradient_for_data_;
  Tensor input_, output_, converted_, for_weights_source_, for_weights_gradient_, for_data_,
      diff_source_;
  BufferId forward_scratch_ = kNoBuffer, weights_scratch_ = kNoBuffer, data_scratch_ = kNoBuffer;
  BufferId own_gradient_ = kNoBuffer;
  BufferId gradient_reorder_scratch_ = kNoBuffer;
  BoundPrimitive run_forward_, run_data_, run_weights_, run_gradient_reorder_;
};

}  // namespace dl::nn
