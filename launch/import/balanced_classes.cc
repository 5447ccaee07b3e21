#include "launch/import/balanced_classes.h"

#include <numeric>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "dataset/manifest.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/layers/output.h"
#include "nn/conf/losses/loss_registry.h"

namespace dl::launch {

Status BalanceClasses(const std::string& manifest, nn::ModelConfig& model) {
  std::vector<nn::LossConf*> losses;
  size_t first = 0;  // first layer with such a loss
  for (size_t i = model.layers.size(); i-- > 0;) {
    nn::LayerConf& layer = model.layers[i].conf;
    if (!EndsModel(layer) || !WantsBalancedClasses(LossOf(layer))) continue;
    losses.push_back(&LossOf(layer));
    first = i;
  }
  if (losses.empty()) return absl::OkStatus();
  DL_ASSIGN_OR_RETURN(const dataset::Manifest training,
                      dataset::ManifestFromJson(manifest, "data.train"));
  const std::vector<int64_t>& counts = training.class_histogram;
  const auto labels =
      static_cast<double>(std::accumulate(counts.begin(), counts.end(), int64_t{0}));
  std::vector<double> weights;
  for (size_t c = 0; c < counts.size(); ++c) {
    weights.push_back(labels /
                      (static_cast<double>(counts.size()) * static_cast<double>(counts[c])));
    if (weights.back() <= limits::kMaxCoefficient) continue;  // no example of the class: infinite
    const std::string name = c < training.schema.class_names().size()
                                 ? absl::StrCat(" (\"", training.schema.class_names()[c], "\")")
                                 : "";
    return InvalidArgument(
        {.message = absl::StrCat("classes cannot be balanced: class ", c, name, " has ", counts[c],
                                 counts[c] == 1 ? " label" : " labels", " in the training set"),
         .where = absl::StrCat("model.layers.", first, ".loss.class_weights"),
         .remedy = "Give the weights as a list of numbers, or add examples of the class"});
  }
  for (nn::LossConf* loss : losses) nn::SetClassWeights(weights, *loss);
  return absl::OkStatus();
}

}  // namespace dl::launch
