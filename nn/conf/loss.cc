#include "nn/conf/loss.h"

namespace dl::nn {

std::string_view LossTag(LossKind kind) {
  switch (kind) {
    case LossKind::kSoftmaxCrossEntropy:
      return "softmax_cross_entropy";
    case LossKind::kMeanSquaredError:
      return "mean_squared_error";
  }
  return "unknown";
}

bool PredictsClasses(LossKind kind) {
  switch (kind) {
    case LossKind::kSoftmaxCrossEntropy:
      return true;
    case LossKind::kMeanSquaredError:
      return false;
  }
  return false;
}

Json ToJson(const LossConf& loss) { return LossTag(loss.kind); }

void ReadLoss(JsonObjectReader& reader, std::string_view key, LossConf& out) {
  std::string tag(LossTag(out.kind));
  reader.OneOf(key, tag, {"softmax_cross_entropy", "mean_squared_error"});
  for (LossConf candidate : {SoftmaxCrossEntropy(), MeanSquaredError()}) {
    if (LossTag(candidate.kind) == tag) out = candidate;
  }
}

}  // namespace dl::nn
