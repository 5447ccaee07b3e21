#include "nn/conf/inner_model.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/suggest.h"
#include "nn/conf/sequential.h"

namespace dl::nn {
namespace {

StatusOr<int> PlaceOf(const ModelConfig& model, const std::string& name) {
  std::vector<std::string> names;
  for (size_t i = 0; i < model.layers.size(); ++i) {
    const LayerConfig& layer = model.layers[i];
    if (layer.origin == LayerConfig::Origin::kAdapter) continue;
    if (layer.name != name) {
      names.push_back(layer.name);
    } else if (EndsModel(layer.conf)) {
      return InvalidArgument({.message = absl::StrCat("layer ", name, " is an output of the model"),
                              .where = "layer",
                              .remedy = "Name a layer before it"});
    } else {
      return static_cast<int>(i);
    }
  }
  return InvalidArgument(
      {.message = absl::StrCat("the model has no layer ", name, DidYouMean(name, names)),
       .where = "layer",
       .remedy = "dl-submit inspect lists the layers of a checkpoint"});
}

// Returns the names of what a layer reads, without adapters, because Build() inserts them again.
std::vector<std::string> InputNamesOf(const ModelConfig& model, const LayerConfig& layer) {
  std::vector<std::string> names;
  for (int read : layer.reads) {
    while (!IsInput(read) && model.layers[read].origin == LayerConfig::Origin::kAdapter)
      read = model.layers[read].reads.front();
    names.push_back(IsInput(read) ? model.inputs[InputIndex(read)].name : model.layers[read].name);
  }
  return names;
}

}  // namespace

StatusOr<ModelConfig> ModelUpTo(const ModelConfig& model, const std::string& layer) {
  DL_ASSIGN_OR_RETURN(const int last, PlaceOf(model, layer));
  std::vector<bool> needed(model.layers.size());
  needed[last] = true;
  for (int i = last; i >= 0; --i) {
    if (!needed[i]) continue;
    for (const int read : model.layers[i].reads)
      if (!IsInput(read)) needed[read] = true;
  }
  Sequential part(model.name);
  part.Seed(model.seed);
  for (const NamedInput& input : model.inputs) part.Input(input.name, input.type);
  for (int i = 0; i <= last; ++i) {
    const LayerConfig& config = model.layers[i];
    if (!needed[i] || config.origin == LayerConfig::Origin::kAdapter) continue;
    for (const SharedParameter& shared : config.shared) {
      if (needed[shared.layer]) continue;
      return InvalidArgument(
          {.message = absl::StrCat("layer ", config.name, " has weights of ",
                                   model.layers[shared.layer].name,
                                   ", but does not depend on the outputs of that layer"),
           .where = "layer",
           .remedy = "Name a layer that depends on both"});
    }
    LayerConf conf = config.conf;
    SetName(conf, config.name);
    SetInputs(conf, InputNamesOf(model, config));
    part.Layer(std::move(conf));
  }
  part.Layer(LossLayer(MeanSquaredError()).Inputs({layer}));
  return part.Build();
}

}  // namespace dl::nn
