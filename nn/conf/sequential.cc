#include "nn/conf/sequential.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/limits.h"

namespace dl::nn {
namespace {

// Names become parts of segment names ("conv1.weight/momentum") and of messages.
bool IsLayerName(std::string_view name) {
  if (name.empty() || name.size() > limits::kMaxName || !absl::ascii_isalpha(name[0])) return false;
  for (char c : name) {
    if (!absl::ascii_isalnum(c) && c != '_' && c != '-') return false;
  }
  return true;
}

bool IsModelName(std::string_view name) {
  if (name.empty() || name.size() > limits::kMaxName) return false;
  for (char c : name) {
    if (!absl::ascii_isalnum(c) && c != '_' && c != '-' && c != '.') return false;
  }
  return true;
}

// Messages hold no bytes that a terminal or a JSON writer could choke on.
std::string Quoted(std::string_view name) {
  return absl::StrCat("\"", absl::CHexEscape(std::string(name.substr(0, limits::kMaxName))), "\"");
}

std::string WhereOf(const LayerConf& layer, size_t index) {
  return absl::StrCat("layer ", Quoted(NameOf(layer)), " (layers[", index, "], ",
                      std::string(TagOf(layer)), ")");
}

// Gives the unnamed layers names that nobody else has.
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

// The elements of a tensor, or nullopt above the limit. Never overflows.
std::optional<int64_t> CheckedElements(const std::vector<int64_t>& shape) {
  int64_t product = 1;
  for (int64_t extent : shape) {
    if (__builtin_mul_overflow(product, extent, &product) || product > limits::kMaxParameters) {
      return std::nullopt;
    }
  }
  return product;
}

// Walks through the layers once and builds the chain.
class Chain {
 public:
  Chain(const ModelConfig& model, Mistakes& mistakes)
      : mistakes_(mistakes), defaults_{model.weight_init, model.l2, model.weight_decay} {
    if (CheckInputType(model.input).ok()) shape_ = model.input;
  }

  void Add(const LayerConf& layer, size_t index) {
    mistakes_.SetWhere(WhereOf(layer, index));
    const size_t before = mistakes_.size();
    CheckName(NameOf(layer));
    CheckFields(layer, mistakes_);
    std::visit([&](const auto& x) { x.Check(mistakes_); }, layer);
    if (mistakes_.size() != before) {
      shape_ = std::nullopt;
      return;
    }
    if (!shape_) {
      SetShape(std::visit([](const auto& x) { return x.OutputWithoutInput(); }, layer));
      return;
    }
    if (!Adapt(layer)) return;
    const InputType input = *shape_;
    SetShape(std::visit([&](const auto& x) { return x.OutputType(input, mistakes_); }, layer));
    if (!shape_) return;
    auto parameters =
        std::visit([&](const auto& x) { return x.Parameters(input, defaults_); }, layer);
    if (!Count(parameters)) return;
    layers_.push_back({.name = NameOf(layer),
                       .conf = layer,
                       .input = input,
                       .output = *shape_,
                       .parameters = std::move(parameters)});
  }

  void AddUnreadable() { shape_ = std::nullopt; }

  std::vector<LayerConfig> Take() { return std::move(layers_); }

 private:
  void CheckName(const std::string& name) {
    if (!IsLayerName(name)) {
      mistakes_.Add("the name is not allowed",
                    absl::StrCat("Use up to ", limits::kMaxName,
                                 " letters, digits, _ and -, beginning with a letter"));
    }
    if (!names_.insert(name).second) {
      mistakes_.Add("another layer has the same name", "Give each layer its own name");
    }
  }

  // Brings the input into the form that `layer` needs; false after a mistake.
  bool Adapt(const LayerConf& layer) {
    const InputNeed need = NeedsOf(layer);
    if (need == InputNeed::kImage && !shape_->IsImage()) {
      mistakes_.Add(
          absl::StrCat("needs an image, here come ", Describe(*shape_)),
          "Put it before the first dense or flatten layer, or declare the input as an image");
      shape_ = std::nullopt;
      return false;
    }
    if (need == InputNeed::kFlat && shape_->IsImage()) {
      const std::string name = NameOf(layer) + "/flatten";
      const InputType flat = FeedForward(shape_->Elements());
      layers_.push_back({.name = name,
                         .conf = Flatten().Name(name),
                         .input = *shape_,
                         .output = flat,
                         .parameters = {},
                         .origin = LayerConfig::Origin::kAdapter});
      shape_ = flat;
    }
    return true;
  }

  void SetShape(std::optional<InputType> shape) {
    shape_ = shape;
    if (!shape_) return;
    // A flat vector may be as long as the whole example: only its number of values is limited.
    if (shape_->Elements() > limits::kMaxExampleElements || shape_->Elements() < 1) {
      mistakes_.Add(absl::StrCat("its output, ", Describe(*shape_), ", has more than ",
                                 limits::kMaxExampleElements, " values for one example"),
                    "Use fewer filters or units, or a larger stride");
      shape_ = std::nullopt;
    }
  }

  bool Count(const std::vector<ParameterConf>& parameters) {
    for (const ParameterConf& parameter : parameters) {
      const std::optional<int64_t> elements = CheckedElements(parameter.shape);
      if (elements) total_ += *elements;
      if (!elements || total_ > limits::kMaxParameters) {
        mistakes_.Add(absl::StrCat("with its ", parameter.name, " the model has more than ",
                                   limits::kMaxParameters, " parameters"),
                      "Use fewer units or filters");
        total_ = 0;  // the later layers are judged on their own
        return false;
      }
    }
    return true;
  }

  Mistakes& mistakes_;
  WeightDefaults defaults_;
  std::optional<InputType> shape_;  // nullopt behind a mistake
  std::set<std::string> names_;
  int64_t total_ = 0;
  std::vector<LayerConfig> layers_;
};

void CheckOutputs(const std::vector<std::optional<LayerConf>>& layers, Mistakes& mistakes) {
  const auto is_output = [](const std::optional<LayerConf>& layer) {
    return layer && std::holds_alternative<Output>(*layer);
  };
  for (size_t i = 0; i + 1 < layers.size(); ++i) {
    if (!is_output(layers[i])) continue;
    mistakes.SetWhere(WhereOf(*layers[i], i));
    mistakes.Add("an output layer stands before the end",
                 "Make it the last layer, or use a dense layer here");
  }
  if (layers.empty()) {
    mistakes.Add("there are no layers", "Add layers; the last one is an output layer with a loss");
  } else if (layers.back() && !is_output(layers.back())) {
    mistakes.SetWhere(WhereOf(*layers.back(), layers.size() - 1));
    mistakes.Add("the last layer is not an output layer",
                 "End with an output layer that states its units and its loss");
  }
}

}  // namespace

Sequential::Sequential(std::string name) {
  model_.name = std::move(name);
  model_.updater = nn::Sgd(0.01);
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
Sequential& Sequential::L2(double value) {
  model_.l2 = value;
  return *this;
}
Sequential& Sequential::WeightDecay(double value) {
  model_.weight_decay = value;
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
  model_.input = input;
  input_ = InputState::kStated;
  return *this;
}
Sequential& Sequential::Layer(LayerConf layer) {
  layers_.emplace_back(std::move(layer));
  return *this;
}
Sequential& Sequential::UnreadableInput() {
  model_.input =
      InputType();  // no shape that CheckInputType accepts: shapes are unknown from here on
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
  const std::string where = absl::StrCat("model ", Quoted(model_.name));
  mistakes.SetWhere(where);
  if (!IsModelName(model_.name)) {
    mistakes.Add("the name is not allowed",
                 absl::StrCat("Use 1 to ", limits::kMaxName, " letters, digits, _, - and ."));
  }
  CheckFields(model_, mistakes);
  if (input_ == InputState::kMissing) {
    mistakes.Add("the input is not stated",
                 "Add .Input(nn::Image(channels, height, width)) or .Input(nn::FeedForward(n))");
  } else if (Status input = CheckInputType(model_.input);
             !input.ok() && input_ == InputState::kStated) {
    mistakes.Add(absl::StrCat("the input has ", std::string(input.message())), ErrorRemedy(input));
  }
  if (static_cast<int64_t>(layers_.size()) > limits::kMaxLayers) {
    mistakes.Add(absl::StrCat("there are ", layers_.size(), " layers"),
                 absl::StrCat("Use at most ", limits::kMaxLayers));
    return std::nullopt;
  }

  std::vector<std::optional<LayerConf>> layers = layers_;
  NameLayers(layers);
  CheckOutputs(layers, mistakes);
  Chain chain(model_, mistakes);
  for (size_t i = 0; i < layers.size(); ++i) {
    if (layers[i]) {
      chain.Add(*layers[i], i);
    } else {
      chain.AddUnreadable();
    }
  }
  ModelConfig model = model_;
  model.layers = chain.Take();
  // A gap alone makes no model either, even when its reader forgot to say why.
  const bool complete = input_ != InputState::kUnreadable &&
                        std::all_of(layers.begin(), layers.end(),
                                    [](const auto& layer) { return layer.has_value(); });
  if (!complete && mistakes.empty()) {
    mistakes.SetWhere(where);
    mistakes.Add("its input or a layer could not be read", "Correct the document");
  }
  if (!complete || mistakes.size() != before) return std::nullopt;
  return model;
}

}  // namespace dl::nn
