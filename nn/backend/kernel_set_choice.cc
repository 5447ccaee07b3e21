// Chooses between the kernels of the two sets. nn/backend/weight_gradient_choice.cc,
// nn/backend/dense_gradient_choice.cc and nn/backend/pooling_primitive.cc do so for operations of
// which the native set has two kernels.
#include <string>

#include "nn/backend/deconvolution.h"
#include "nn/backend/onednn/onednn_products.h"

namespace dl::nn {
namespace {

Status Lacks(const std::string& operation) {
  return FailedPrecondition({.message = "the portable kernels lack " + operation,
                             .where = "kernels",
                             .remedy = "Use native kernels."});
}

bool IsPortable(KernelSet kernels) { return kernels == KernelSet::kPortable; }

}  // namespace

StatusOr<Primitive> MatrixProduct(const MatrixProductGeometry& g) {
  if (IsPortable(g.kernels)) return Lacks("a matrix product");
  return OnednnMatrixProduct(g);
}

StatusOr<Primitive> InnerProductForward(const InnerProductGeometry& g, const Layout& source) {
  if (IsPortable(g.kernels)) return Lacks("an inner product");
  return OnednnInnerProductForward(g, source);
}

StatusOr<Primitive> InnerProductBackwardData(const InnerProductGeometry& g,
                                             const Layout& diff_destination) {
  if (IsPortable(g.kernels)) return Lacks("an inner product");
  return OnednnInnerProductBackwardData(g, diff_destination);
}

StatusOr<Primitive> ConvolutionForward(const ConvolutionGeometry& g, const Layout& source) {
  if (IsPortable(g.kernels)) return Lacks("a convolution");
  return OnednnConvolutionForward(g, source);
}

StatusOr<Primitive> ConvolutionBackwardData(const ConvolutionGeometry& g,
                                            const Layout& diff_destination) {
  if (IsPortable(g.kernels)) return Lacks("a convolution");
  return OnednnConvolutionBackwardData(g, diff_destination);
}

StatusOr<Primitive> DeconvolutionForward(const ConvolutionGeometry& g, const Layout& source) {
  if (IsPortable(g.kernels)) return Lacks("a transposed convolution");
  return OnednnDeconvolutionForward(g, source);
}

StatusOr<Primitive> DeconvolutionBackwardData(const ConvolutionGeometry& g,
                                              const Layout& diff_destination) {
  if (IsPortable(g.kernels)) return Lacks("a transposed convolution");
  return OnednnDeconvolutionBackwardData(g, diff_destination);
}

StatusOr<Primitive> DeconvolutionBackwardWeights(const ConvolutionGeometry& g, const Layout& source,
                                                 const Layout& diff_destination) {
  if (IsPortable(g.kernels)) return Lacks("a transposed convolution");
  return OnednnDeconvolutionBackwardWeights(g, source, diff_destination);
}

StatusOr<Primitive> BatchNormalizationForward(const BatchNormalizationGeometry& g) {
  if (IsPortable(g.kernels)) return Lacks("batch normalization");
  return OnednnBatchNormalizationForward(g);
}

StatusOr<Primitive> BatchNormalizationBackward(const BatchNormalizationGeometry& g) {
  if (IsPortable(g.kernels)) return Lacks("batch normalization");
  return OnednnBatchNormalizationBackward(g);
}

}  // namespace dl::nn
