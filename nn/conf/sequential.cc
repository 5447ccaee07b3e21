#include "nn/conf/sequential.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "base/suggest.h"
#include "nn/conf/layer_graph.h"
#include "nn/conf/members.h"
#include "nn/conf/model_outputs.h"

namespace dl::nn {
namespace {

bool IsModelName(std::string_view name) {
  if (name.empty() || name.size() > limits::kMaxName) return false;
  for (char c : name) {
    if (!absl::ascii_isalnum(c) && c != '_' && c != '-' && c != '.') return false;
  }
  return true;
}

// Gives unnamed layers unique names.
void NameLayers(std::vector<std::optional<LayerConf>>& layers) {
  std::set<std::string> taken;
  for (const auto& layer : layers) {
    if (layer) taken.insert(NameOf(*layer));
  }
  std::map<std::string, int64_t> counters;
  for (auto& layer : layers) {
    if (!layer || !NameOf(*layer).empty()) continue;
    const std::string prefix(NamePrefixOf(*layer));
    std::string name;
    do {
      name = absl::StrCat(prefix, ++counters[prefix]);
    } while (!taken.insert(name).second);
    SetName(*layer, name);
  }
}

void CheckEnd(const std::vector<std::optional<LayerConf>>& layers, Mistakes& mistakes) {
  if (layers.empty()) {
    mistakes.Add("there are no layers", "Add layers; the last one is an output layer with a loss");
  } else if (layers.back() && !EndsModel(*layers.back())) {
    mistakes.SetWhere(WhereOfLayer(*layers.back(), layers.size() - 1));
    mistakes.Add(
        "the last layer is not an output layer",
        "End with an output layer that states its units and its loss, or with a loss layer");
  }
}

// Returns whether a step changes some weights.
bool IsTrained(const ModelConfig& model) {
  return std::ranges::any_of(model.layers, [](const LayerConfig& layer) {
    return std::ranges::any_of(layer.parameters, [](const ParameterConf& parameter) {
      return parameter.kind == SegmentKind::kParameter && !parameter.frozen;
    });
  });
}

// Checks each input, and all of them together.
void CheckInputs(const std::vector<NamedInput>& inputs, Mistakes& mistakes) {
  bool right = true;
  for (const NamedInput& input : inputs) {
    const std::string what =
        inputs.size() == 1 ? "the input" : absl::StrCat("the input ", QuotedName(input.name));
    if (Status wrong = CheckInputType(input.type); !wrong.ok()) {
      mistakes.Add(absl::StrCat(what, " has ", std::string(wrong.message())), ErrorRemedy(wrong));
      right = false;
    }
    if (inputs.size() > 1 && input.type.variable_length) {
      mistakes.Add(absl::StrCat(what, " has a variable length, but the model has several inputs"),
                   "Let all of its sequences have one length");
    }
  }
  if (static_cast<int64_t>(inputs.size()) > limits::kMaxModelInputs) {
    mistakes.Add(absl::StrCat("there are ", inputs.size(), " inputs"),
                 absl::StrCat("Use at most ", limits::kMaxModelInputs));
  } else if (right && ElementsOf(inputs) > limits::kMaxExampleElements) {
    mistakes.Add(absl::StrCat("the inputs have more than ", limits::kMaxExampleElements,
                              " values for one example"),
                 "Make them smaller");
  }
}

}  // namespace

Sequential::Sequential(std::string name) {
  model_.name = std::move(name);
  model_.updater = nn::Sgd(0.01);
  (void)UnreadableInput();
  input_ = InputState::kMissing;
}

Sequential& Sequential::Seed(uint64_t seed) {
  model_.seed = seed;
  return *this;
}
Sequential& Sequential::Updater(UpdaterConf updater) {
  model_.updater = updater;
  return *this;
}
Sequential& Sequential::WeightInit(WeightInitConf init) {
  model_.weight_init = init;
  return *this;
}
Sequential& Sequential::L1(double value) {
  model_.l1 = value;
  return *this;
}
Sequential& Sequential::L2(double value) {
  model_.l2 = value;
  return *this;
}
Sequential& Sequential::WeightDecay(double value) {
  model_.weight_decay = value;
  return *this;
}
Sequential& Sequential::WeightConstraint(WeightConstraintConf constraint) {
  model_.weight_constraint = constraint;
  return *this;
}
Sequential& Sequential::NormalizeGradients(GradientNormalization normalization) {
  model_.gradient_normalization = normalization;
  return *this;
}
Sequential& Sequential::ClipGradientsByValue(double limit) {
  model_.clip_gradients_by_value = limit;
  return *this;
}
Sequential& Sequential::ClipGradientsByNorm(double limit) {
  model_.clip_gradients_by_norm = limit;
  return *this;
}
Sequential& Sequential::Input(InputType input) {
  std::erase_if(model_.inputs, [](const NamedInput& other) { return other.name == kInputName; });
  return Input(std::string(kInputName), input);
}
Sequential& Sequential::Input(std::string name, InputType input) {
  if (input_ != InputState::kStated) model_.inputs.clear();
  model_.inputs.push_back({std::move(name), input});
  input_ = InputState::kStated;
  return *this;
}
Sequential& Sequential::Layer(LayerConf layer) {
  layers_.emplace_back(std::move(layer));
  return *this;
}
std::vector<std::optional<LayerConf>>::iterator Sequential::FindLayer(const std::string& name) {
  NameLayers(layers_);
  const auto found = std::ranges::find_if(
      layers_, [&](const auto& layer) { return layer && NameOf(*layer) == name; });
  if (found == layers_.end()) {
    std::vector<std::string> names;
    for (const auto& layer : layers_)
      if (layer) names.push_back(NameOf(*layer));
    unknown_names_.push_back(absl::StrCat(QuotedName(name), DidYouMean(name, names)));
  }
  return found;
}
Sequential& Sequential::Replace(const std::string& name, LayerConf layer) {
  const auto found = FindLayer(name);
  if (found == layers_.end()) return *this;
  SetName(layer, name);
  if (InputsOf(layer).empty()) SetInputs(layer, InputsOf(**found));
  *found = std::move(layer);
  return *this;
}
Sequential& Sequential::RemoveFrom(const std::string& name) {
  layers_.erase(FindLayer(name), layers_.end());
  return *this;
}
Sequential& Sequential::FreezeUpTo(const std::string& name) {
  const auto found = FindLayer(name);
  if (found == layers_.end()) return *this;
  frozen_up_to_ = name;
  for (auto layer = layers_.begin(); layer != std::next(found); ++layer)
    if (*layer) Freeze(**layer);
  return *this;
}
Sequential& Sequential::UnreadableInput() {
  // CheckInputType refuses this type, so shapes are unknown from here on.
  model_.inputs = {{std::string(kInputName), InputType()}};
  input_ = InputState::kUnreadable;
  return *this;
}
Sequential& Sequential::UnreadableLayer() {
  layers_.emplace_back(std::nullopt);
  return *this;
}

StatusOr<ModelConfig> Sequential::Build() const {
  Mistakes mistakes;
  std::optional<ModelConfig> model = Build(mistakes);
  DL_RETURN_IF_ERROR(mistakes.ToStatus());
  return *std::move(model);
}

std::optional<ModelConfig> Sequential::Build(Mistakes& mistakes) const {
  const size_t before = mistakes.size();
  const std::string where = absl::StrCat("model ", QuotedName(model_.name));
  mistakes.SetWhere(where);
  if (!IsModelName(model_.name)) {
    mistakes.Add("the name is not allowed",
                 absl::StrCat("Use 1 to ", limits::kMaxName, " letters, digits, _, - and ."));
  }
  CheckFields(MembersOf(model_), mistakes);
  if (input_ == InputState::kMissing) {
    mistakes.Add("the input is not stated",
                 "Add .Input(nn::Image(channels, height, width)) or .Input(nn::FeedForward(n))");
  } else if (input_ == InputState::kStated) {
    CheckInputs(model_.inputs, mistakes);
  }
  if (static_cast<int64_t>(layers_.size()) > limits::kMaxLayers) {
    mistakes.Add(absl::StrCat("there are ", layers_.size(), " layers"),
                 absl::StrCat("Use at most ", limits::kMaxLayers));
    return std::nullopt;
  }

  for (const std::string& name : unknown_names_) {
    mistakes.Add(
        absl::StrCat("the model has no layer ", name, ", which was to be changed or frozen"),
        "Name a layer of the model, as dl-submit inspect lists them");
  }

  std::vector<std::optional<LayerConf>> layers = layers_;
  NameLayers(layers);
  CheckEnd(layers, mistakes);
  ModelConfig model = model_;
  model.layers = ConnectLayers(model_, layers, mistakes);
  // A gap gives no model, even if its reader did not report a mistake.
  const bool complete = input_ != InputState::kUnreadable &&
                        std::all_of(layers.begin(), layers.end(),
                                    [](const auto& layer) { return layer.has_value(); });
  if (!complete && mistakes.empty()) {
    mistakes.SetWhere(where);
    mistakes.Add("its input or a layer could not be read", "Correct the document");
  }
  if (complete && mistakes.size() == before) {
    CheckModelOutputs(model, mistakes);
    mistakes.SetWhere(where);
    if (model.ParameterCount() == 0)
      mistakes.Add("no layer has weights", "Add one: a dense layer, or an output layer");
    if (!frozen_up_to_.empty() && !IsTrained(model)) {
      mistakes.Add(absl::StrCat("all weights are frozen, up to layer ", QuotedName(frozen_up_to_)),
                   "Freeze up to a layer before it: a job trains the layers after that");
    }
  }
  if (!complete || mistakes.size() != before) return std::nullopt;
  return model;
}

}  // namespace dl::nn
