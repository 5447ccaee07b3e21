#include "nn/conf/shared_weights.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "nn/conf/layer_graph.h"

namespace dl::nn {
namespace {

// Returns the parameter with this name that a layer has or shares, with its owner.
std::optional<SharedParameter> ParameterOf(const LayerConfig& layer, int index,
                                           const std::string& name) {
  for (const SharedParameter& shared : layer.shared) {
    if (shared.name == name) return shared;
  }
  for (const ParameterConf& parameter : layer.parameters) {
    if (parameter.name == name) return SharedParameter{name, index};
  }
  return std::nullopt;
}

void CheckAlike(const ParameterConf& parameter, const LayerConfig& owner, Mistakes& mistakes) {
  const auto other = std::ranges::find(owner.parameters, parameter.name, &ParameterConf::name);
  if (other->shape != parameter.shape) {
    mistakes.Add(absl::StrCat("its ", parameter.name, " is ", absl::StrJoin(parameter.shape, "x"),
                              ", but that of ", QuotedName(owner.name), " is ",
                              absl::StrJoin(other->shape, "x")),
                 "Give both as many units, and inputs of one size");
  }
}

}  // namespace

bool ShareWeights(const std::vector<LayerConfig>& layers, int owner, LayerConfig& layer,
                  Mistakes& mistakes) {
  const std::string& name = layers[owner].name;
  // A layer may be frozen together with the owner of its weights.
  LayerConf stated = layer.conf;
  if (IsFrozen(layers[owner].conf)) Unfreeze(stated);
  if (StatesWeightKeys(stated)) {
    mistakes.Add(absl::StrCat("states how its weights start or change, but it uses the weights of ",
                              QuotedName(name)),
                 "State it only there");
    return false;
  }
  const bool has_moments = std::ranges::any_of(layer.parameters, [](const ParameterConf& one) {
    return one.kind != SegmentKind::kParameter;
  });
  if (has_moments) {
    mistakes.Add(
        absl::StrCat("keeps running moments of its input, so it cannot share the weights of ",
                     QuotedName(name)),
        "Leave out weights_of");
    return false;
  }
  const size_t before = mistakes.size();
  std::vector<ParameterConf> own;
  for (ParameterConf& parameter : layer.parameters) {
    const auto shared = ParameterOf(layers[owner], owner, parameter.name);
    if (shared) {
      CheckAlike(parameter, layers[shared->layer], mistakes);
      layer.shared.push_back(*shared);
    } else {
      own.push_back(std::move(parameter));
    }
  }
  layer.parameters = std::move(own);
  if (layer.shared.empty()) {
    mistakes.Add(absl::StrCat("has no weights to share with ", QuotedName(name)),
                 "Name a layer of its own type, or leave out weights_of");
  }
  return mistakes.size() == before;
}

}  // namespace dl::nn
