// Chooses between the kernels of the two sets. Files of this folder that end in _choice.cc, and
// pooling_primitive.cc, do so for operations of which the native set has two kernels.
#include "nn/backend/deconvolution.h"
#include "nn/backend/onednn/onednn_products.h"
#include "nn/backend/own/own_batch_normalization.h"
#include "nn/backend/own/own_convolution.h"
#include "nn/backend/own/own_products.h"

namespace dl::nn {
namespace {

bool IsPortable(KernelSet kernels) { return kernels == KernelSet::kPortable; }

}  // namespace

StatusOr<Primitive> MatrixProduct(const MatrixProductGeometry& g) {
  if (IsPortable(g.kernels)) return OwnMatrixProduct(g);
  return OnednnMatrixProduct(g);
}

StatusOr<Primitive> InnerProductForward(const InnerProductGeometry& g, const Layout& source) {
  if (IsPortable(g.kernels)) return OwnInnerProductForward(g);
  return OnednnInnerProductForward(g, source);
}

StatusOr<Primitive> InnerProductBackwardData(const InnerProductGeometry& g,
                                             const Layout& diff_destination) {
  if (IsPortable(g.kernels)) return OwnInnerProductBackwardData(g);
  return OnednnInnerProductBackwardData(g, diff_destination);
}

StatusOr<Primitive> DeconvolutionForward(const ConvolutionGeometry& g, const Layout& source) {
  if (IsPortable(g.kernels)) return OwnDeconvolutionForward(g);
  return OnednnDeconvolutionForward(g, source);
}

StatusOr<Primitive> DeconvolutionBackwardData(const ConvolutionGeometry& g,
                                              const Layout& diff_destination) {
  if (IsPortable(g.kernels)) return OwnDeconvolutionBackwardData(g);
  return OnednnDeconvolutionBackwardData(g, diff_destination);
}

StatusOr<Primitive> DeconvolutionBackwardWeights(const ConvolutionGeometry& g, const Layout& source,
                                                 const Layout& diff_destination) {
  if (IsPortable(g.kernels)) return OwnDeconvolutionBackwardWeights(g);
  return OnednnDeconvolutionBackwardWeights(g, source, diff_destination);
}

StatusOr<Primitive> BatchNormalizationForward(const BatchNormalizationGeometry& g) {
  if (IsPortable(g.kernels)) return OwnBatchNormalizationForward(g);
  return OnednnBatchNormalizationForward(g);
}

StatusOr<Primitive> BatchNormalizationBackward(const BatchNormalizationGeometry& g) {
  if (IsPortable(g.kernels)) return OwnBatchNormalizationBackward(g);
  return OnednnBatchNormalizationBackward(g);
}

}  // namespace dl::nn
