// oneDNN's kernels of products, convolutions and batch normalizations. The functions have the
// contracts of those without "Onednn" in the headers of nn/backend.
#pragma once

#include "nn/backend/batch_normalization.h"
#include "nn/backend/convolution_primitive.h"
#include "nn/backend/deconvolution.h"
#include "nn/backend/inner_product.h"
#include "nn/backend/matrix_product.h"

namespace dl::nn {

StatusOr<Primitive> OnednnMatrixProduct(const MatrixProductGeometry& geometry);

StatusOr<Primitive> OnednnInnerProductForward(const InnerProductGeometry& geometry,
                                              const Layout& source);
StatusOr<Primitive> OnednnInnerProductBackwardData(const InnerProductGeometry& geometry,
                                                   const Layout& diff_destination);
StatusOr<Primitive> OnednnInnerProductBackwardWeights(const InnerProductGeometry& geometry,
                                                      const Layout& source,
                                                      const Layout& diff_destination);

StatusOr<Primitive> OnednnConvolutionForward(const ConvolutionGeometry& geometry,
                                             const Layout& source);
StatusOr<Primitive> OnednnConvolutionBackwardData(const ConvolutionGeometry& geometry,
                                                  const Layout& diff_destination);
StatusOr<Primitive> OnednnConvolutionBackwardWeights(const ConvolutionGeometry& geometry,
                                                     const Layout& source,
                                                     const Layout& diff_destination);

StatusOr<Primitive> OnednnDeconvolutionForward(const ConvolutionGeometry& geometry,
                                               const Layout& source);
StatusOr<Primitive> OnednnDeconvolutionBackwardData(const ConvolutionGeometry& geometry,
                                                    const Layout& diff_destination);
StatusOr<Primitive> OnednnDeconvolutionBackwardWeights(const ConvolutionGeometry& geometry,
                                                       const Layout& source,
                                                       const Layout& diff_destination);

StatusOr<Primitive> OnednnBatchNormalizationForward(const BatchNormalizationGeometry& geometry);
StatusOr<Primitive> OnednnBatchNormalizationBackward(const BatchNormalizationGeometry& geometry);

}  // namespace dl::nn
