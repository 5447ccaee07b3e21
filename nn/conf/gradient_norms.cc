#include "nn/conf/gradient_norms.h"

#include "nn/conf/kinds.h"

namespace dl::nn {

bool NeedsTensorNorms(const UpdaterConf& updater) {
  return std::holds_alternative<Lars>(updater) || std::holds_alternative<Lamb>(updater);
}

bool NeedsGradientNorms(const ModelConfig& model) {
  return model.clip_gradients_by_norm > 0 ||
         model.gradient_normalization.kind != GradientNormalizationKind::kNone;
}

}  // namespace dl::nn
