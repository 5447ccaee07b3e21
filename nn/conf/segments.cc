#include "nn/conf/segments.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "nn/conf/layer_config.h"

namespace dl::nn {
namespace {

// Calls `visit(segment name, parameter)` for the layers' tensors in table order, without updater
// state.
template <typename Visit>
void ForEachTensor(const ModelConfig& model, Visit visit) {
  const auto pass = [&](bool moments) {
    for (const LayerConfig& layer : model.layers) {
      for (const ParameterConf& parameter : layer.parameters) {
        if ((parameter.kind != SegmentKind::kParameter) == moments) {
          visit(layer.name + "." + parameter.name, parameter);
        }
      }
    }
  };
  pass(/*moments=*/false);
  pass(/*moments=*/true);
}

}  // namespace

SegmentTable FullTable(const ModelConfig& model, int64_t carried_rows) {
  SegmentTable table;
  ForEachTensor(model, [&](std::string name, const ParameterConf& parameter) {
    table.Add(std::move(name), parameter.kind, parameter.shape);
  });
  for (const LayerConfig& layer : model.layers) {
    for (const ParameterConf& parameter : layer.parameters) {
      if (parameter.kind != SegmentKind::kParameter) continue;
      for (const std::string_view state : StateNamesOf(model.updater)) {
        table.Add(absl::StrCat(layer.name, ".", parameter.name, "/", std::string(state)),
                  SegmentKind::kUpdater, parameter.shape);
      }
    }
  }
  for (const LayerConfig& layer : model.layers) {
    if (carried_rows == 0) break;
    for (const CarriedConf& carried : CarriedOf(layer.conf)) {
      table.Add(absl::StrCat(layer.name, ".", carried.name), SegmentKind::kCarried,
                {carried_rows, carried.features});
    }
  }
  return table;
}

bool IsStateful(const ModelConfig& model) {
  return std::any_of(model.layers.begin(), model.layers.end(),
                     [](const LayerConfig& layer) { return !CarriedOf(layer.conf).empty(); });
}

std::vector<float> InitialState(const ModelConfig& model, uint64_t seed, int64_t carried_rows) {
  const SegmentTable table = FullTable(model, carried_rows);
  std::vector<float> state(table.size(), 0.0f);
  size_t index = 0;
  ForEachTensor(model, [&](const std::string&, const ParameterConf& parameter) {
    FillInitial(parameter.initializer, seed, index,
                table.View(table.segments()[index], std::span<float>(state)));
    ++index;
  });
  return state;
}

}  // namespace dl::nn
