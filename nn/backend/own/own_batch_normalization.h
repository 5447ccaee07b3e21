// The portable kernel of batch normalization: the loops of nn/kernels/batch_norm_kernels.h, with
// pixels as rows. The functions have the contracts of those without "Own" in
// nn/backend/batch_normalization.h. REQUIRE: the source is Layout::ChannelsLast.
#pragma once

#include "nn/backend/batch_normalization.h"

namespace dl::nn {

Primitive OwnBatchNormalizationForward(const BatchNormalizationGeometry& geometry);
Primitive OwnBatchNormalizationBackward(const BatchNormalizationGeometry& geometry);

}  // namespace dl::nn
