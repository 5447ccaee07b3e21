#include "nn/conf/row_layers.h"

#include "base/overloaded.h"
#include "nn/conf/layer_config.h"

namespace dl::nn {

// Other layers, also those that are added later, may mix rows.
bool ComputesRowsAlone(const LayerConf& conf) {
  return std::visit(Overloaded{
                        [](const Dense&) { return true; },
                        [](const Output&) { return true; },
                        [](const LossLayer&) { return true; },
                        [](const ActivationLayer&) { return true; },
                        [](const PRelu&) { return true; },
                        [](const LayerNorm&) { return true; },
                        [](const RmsNorm&) { return true; },
                        [](const L2Normalize&) { return true; },
                        [](const ScaleShift&) { return true; },
                        [](const Subset&) { return true; },
                        [](const Add&) { return true; },
                        [](const Multiply&) { return true; },
                        [](const Average&) { return true; },
                        [](const Maximum&) { return true; },
                        [](const Concat&) { return true; },
                        [](const auto&) { return false; },
                    },
                    conf);
}

bool JudgesRowsAlone(const ModelOutput& output) {
  const Labels::Kind labels = output.LabelKind();
  return output.type.Steps() > 1 &&
         (labels == Labels::Kind::kClass || labels == Labels::Kind::kNumbers);
}

std::vector<bool> RowLayersOf(const ModelConfig& model, const ModelOutput& output) {
  std::vector<int> other_readers(model.layers.size());
  for (const LayerConfig& layer : model.layers) {
    for (const int read : layer.reads) {
      if (!IsInput(read)) ++other_readers[read];
    }
  }
  std::vector<bool> members(model.layers.size()), is_read(model.layers.size());
  is_read[output.layer] = true;
  for (size_t i = output.layer + 1; i-- > 0;) {
    const LayerConfig& layer = model.layers[i];
    members[i] = is_read[i] && other_readers[i] == 0 && ComputesRowsAlone(layer.conf);
    if (!members[i]) continue;
    for (const int read : layer.reads) {
      if (IsInput(read)) continue;
      --other_readers[read];
      is_read[read] = true;
    }
  }
  return members;
}

}  // namespace dl::nn
