#include "nn/conf/layer_graph.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "base/suggest.h"
#include "nn/conf/members.h"
#include "nn/conf/shared_weights.h"

namespace dl::nn {
namespace {

// Names become part of segment names ("conv1.weight/momentum") and of messages.
bool IsLayerName(std::string_view name) {
  if (name.empty() || name.size() > limits::kMaxName || !absl::ascii_isalpha(name[0])) return false;
  for (char c : name) {
    if (!absl::ascii_isalnum(c) && c != '_' && c != '-') return false;
  }
  return true;
}

// Returns the number of elements of a tensor, or nullopt above the limit. Never overflows.
std::optional<int64_t> CheckedElements(const std::vector<int64_t>& shape) {
  int64_t product = 1;
  for (int64_t extent : shape) {
    if (__builtin_mul_overflow(product, extent, &product) || product > limits::kMaxParameters) {
      return std::nullopt;
    }
  }
  return product;
}

// Infers the output type of a layer from one input or from all of them.
std::optional<InputType> OutputTypeOf(const LayerConf& layer, std::span<const InputType> inputs,
                                      Mistakes& mistakes) {
  return std::visit(
      [&](const auto& x) {
        if constexpr (std::decay_t<decltype(x)>::kMaxInputs > 1) {
          return x.OutputType(inputs, mistakes);
        } else {
          return x.OutputType(inputs.front(), mistakes);
        }
      },
      layer);
}

constexpr int kNowhere = std::numeric_limits<int>::max();  // neither a layer nor an input

class LayerGraph {
 public:
  LayerGraph(const ModelConfig& model, Mistakes& mistakes)
      : mistakes_(mistakes),
        defaults_{model.weight_init, model.l2,
                  model.weight_decay > 0 ? model.weight_decay : WeightDecayOf(model.updater),
                  model.l1, model.weight_constraint} {
    const bool unnamed = HasUnnamedInput(model);
    for (size_t i = 0; i < model.inputs.size(); ++i) {
      const NamedInput& input = model.inputs[i];
      const std::string where = absl::StrCat("input ", QuotedName(input.name));
      Source source{.index = kFirstInput - static_cast<int>(i), .where = where, .name = input.name};
      if (CheckInputType(input.type).ok()) source.shape = input.type;
      mistakes_.SetWhere(where);
      if (!unnamed) {
        CheckName(input.name);
        by_name_.emplace(input.name, i);
      }
      sources_.push_back(std::move(source));
    }
    // A layer of a model with an unnamed input may have the name kInputName.
    if (unnamed) unnamed_input_ = kInputName;
  }

  // Adds a layer. `later` holds the names of the layers after it.
  void Add(const LayerConf& layer, size_t place, const std::set<std::string>& later) {
    const std::string where = WhereOfLayer(layer, place);
    mistakes_.SetWhere(where);
    const size_t before = mistakes_.size();
    CheckName(NameOf(layer));
    CheckFields(MembersOf(layer), mistakes_);
    std::visit([&](const auto& x) { x.Check(mistakes_); }, layer);
    const std::vector<size_t> reads = Find(layer, later);
    const bool right = mistakes_.size() == before;
    Source made{.where = where, .name = NameOf(layer), .ends_model = EndsModel(layer)};
    const bool known = std::all_of(reads.begin(), reads.end(), [&](size_t source) {
      return sources_[source].shape.has_value();
    });
    if (right && known) {
      Connect(layer, reads, later, made);
    } else if (right) {
      SetShape(made, std::visit([](const auto& x) { return x.OutputWithoutInput(); }, layer));
    }
    by_name_.emplace(NameOf(layer), sources_.size());
    sources_.push_back(std::move(made));
  }

  void AddUnreadable() { sources_.push_back({.readers = 1}); }

  // A layer whose output is not used would never be trained.
  void CheckReaders() {
    for (size_t i = unnamed_input_.empty() ? 0 : 1; i + 1 < sources_.size(); ++i) {
      if (sources_[i].readers > 0 || sources_[i].ends_model) continue;
      mistakes_.SetWhere(sources_[i].where);
      mistakes_.Add(IsInput(sources_[i].index) ? "no layer reads it" : "no layer reads its output",
                    "Name it among the inputs of a later layer, or leave it out");
    }
  }

  std::vector<LayerConfig> Take() { return std::move(layers_); }

 private:
  // A value that layers can read: an input of the model, or the output of a listed layer.
  struct Source {
    int index = kNowhere;            // index in layers_, or an input; kNowhere after a mistake
    std::optional<InputType> shape;  // nullopt if unknown because of a mistake
    int readers = 0;
    std::string where;
    std::string name = {};
    bool ends_model = false;  // it has a loss
  };

  void CheckName(const std::string& name) {
    if (!IsLayerName(name)) {
      mistakes_.Add("the name is not allowed",
                    absl::StrCat("Use up to ", limits::kMaxName,
                                 " letters, digits, _ and -, beginning with a letter"));
    }
    if (by_name_.contains(name)) {
      mistakes_.Add("another layer, or an input, has the same name", "Give each its own name");
    }
  }

  // Returns the sources that the layer reads; fewer after a mistake.
  std::vector<size_t> Find(const LayerConf& layer, const std::set<std::string>& later) {
    const std::vector<std::string>& names = InputsOf(layer);
    std::vector<size_t> found;
    if (names.empty()) found.push_back(sources_.size() - 1);
    if (names.empty() && IsInput(sources_.back().index) && sources_.size() > 1) {
      mistakes_.Add(absl::StrCat("does not state which of ", sources_.size(), " inputs it reads"),
                    R"(Name it, for instance "inputs": [")" + by_name_.begin()->first + "\"]");
    }
    for (const std::string& name : names) {
      if (const auto source = by_name_.find(name); source != by_name_.end()) {
        found.push_back(source->second);
      } else if (name == unnamed_input_) {
        found.push_back(0);
      } else {
        AddNotFound("reads", name, later);
      }
    }
    for (const size_t source : found) {
      ++sources_[source].readers;
      if (!sources_[source].ends_model) continue;
      mistakes_.Add(
          absl::StrCat("reads ", QuotedName(sources_[source].name),
                       ", which has a loss and no output for other layers"),
          R"(Name what it reads, for instance "inputs": [")" + NameBefore(source) + R"("])");
    }
    const auto count = static_cast<int64_t>(std::max<size_t>(1, names.size()));
    const int64_t most = MaxInputsOf(layer);
    if (count > most) {
      mistakes_.Add(absl::StrCat("reads ", count, " layers, ",
                                 most == 1 ? "but takes one" : absl::StrCat("but takes ", most)),
                    "Join them by an add or concat layer first");
    } else if (most > 1 && count == 1) {
      mistakes_.Add("reads only one layer",
                    R"(Name two or more, for instance "inputs": ["conv1", "conv3"])");
    }
    return found;
  }

  // Returns the name of the nearest source up to `source` that may be read.
  const std::string& NameBefore(size_t source) const {
    while (source > 0 && sources_[source].ends_model) --source;
    return sources_[source].name;
  }

  void AddNotFound(std::string_view does, const std::string& name,
                   const std::set<std::string>& later) {
    if (later.contains(name)) {
      mistakes_.Add(
          absl::StrCat(std::string(does), " ", QuotedName(name), ", which comes later in the list"),
          "List it after the layers that it reads; networks have no cycles");
      return;
    }
    std::vector<std::string> names;
    if (!unnamed_input_.empty()) names.push_back(unnamed_input_);
    for (const auto& [known, source] : by_name_) names.push_back(known);
    mistakes_.Add(absl::StrCat(std::string(does), " ", QuotedName(name),
                               ", but no layer has that name", DidYouMean(name, names)),
                  "Name layers before it, or an input of the model");
  }

  void Connect(const LayerConf& layer, const std::vector<size_t>& reads,
               const std::set<std::string>& later, Source& made) {
    LayerConfig config{.name = NameOf(layer), .conf = layer};
    std::vector<InputType> shapes;
    for (const size_t source : reads) {
      config.reads.push_back(sources_[source].index);
      shapes.push_back(*sources_[source].shape);
    }
    if (NeedsOf(layer) == InputNeed::kIndices && !IsInput(config.reads.front())) {
      mistakes_.Add("reads another layer, whose values are not indices",
                    "Let it read an input of the model (\"input\" if the input has no name)");
      return;
    }
    if (!TakesLengthsOf(layer, shapes) || !Adapt(config, shapes.front())) return;
    config.input = shapes.front();
    config.other_inputs.assign(shapes.begin() + 1, shapes.end());
    SetShape(made, OutputTypeOf(layer, shapes, mistakes_));
    if (!made.shape) return;
    config.output = *made.shape;
    config.parameters =
        std::visit([&](const auto& x) { return x.Parameters(config.input, defaults_); }, layer);
    if (!WeightsOwnerOf(layer).empty() && !Share(layer, later, config)) {
      made.shape = std::nullopt;
      return;
    }
    if (!Count(config.parameters)) return;
    made.index = static_cast<int>(layers_.size());
    layers_.push_back(std::move(config));
  }

  // Returns false after a mistake.
  bool Share(const LayerConf& layer, const std::set<std::string>& later, LayerConfig& config) {
    const std::string& name = WeightsOwnerOf(layer);
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) {
      AddNotFound("shares the weights of", name, later);
      return false;
    }
    const Source& source = sources_[found->second];
    if (source.index == kNowhere) return true;  // its mistake is already reported
    if (IsInput(source.index)) {
      mistakes_.Add(absl::StrCat("shares the weights of ", QuotedName(name), ", which is an input"),
                    "Name a layer before it");
      return false;
    }
    return ShareWeights(layers_, source.index, config, mistakes_);
  }

  // Checks sequences of variable length. Returns false after a mistake.
  bool TakesLengthsOf(const LayerConf& layer, const std::vector<InputType>& shapes) {
    for (const InputType& shape : shapes) {
      if (!shape.variable_length) continue;
      if (!TakesVariableLength(layer)) {
        mistakes_.Add(
            absl::StrCat("takes sequences of one length, but its input is ", Describe(shape)),
            "Put it after a last_step layer or a recurrent layer with return_sequences false, or "
            "give all sequences one length");
        return false;
      }
      if (!CarriedOf(layer).empty()) {
        mistakes_.Add(absl::StrCat("is stateful, but ", Describe(shape), " are separate sequences"),
                      "Set stateful to false");
        return false;
      }
      if (shape.lengths != shapes.front().lengths) {
        mistakes_.Add(
            "reads sequences whose examples have different lengths, because the windows of the "
            "layers before it differ",
            "Give these layers the same kernels, strides and padding");
        return false;
      }
    }
    return true;
  }

  // Converts the input to the form that the layer needs. Returns false after a mistake.
  bool Adapt(LayerConfig& layer, InputType& input) {
    const InputNeed need = NeedsOf(layer.conf);
    if (!IsOfPixels(need, input)) return false;
    if (need == InputNeed::kSequence && !input.IsSequence()) {
      mistakes_.Add(absl::StrCat("needs a sequence, but its input is ", Describe(input)),
                    "Declare the input as a sequence, and put it before the layer that flattens");
      return false;
    }
    const bool rows = need == InputNeed::kRows || need == InputNeed::kIndices;
    if (rows && input.IsSpatial()) {
      const std::string name = layer.name + "/flatten";
      const InputType flat = FeedForward(input.Elements());
      layers_.push_back({.name = name,
                         .conf = Flatten().Name(name),
                         .reads = layer.reads,
                         .input = input,
                         .output = flat,
                         .parameters = {},
                         .origin = LayerConfig::Origin::kAdapter});
      layer.reads = {static_cast<int>(layers_.size()) - 1};
      input = flat;
    }
    return true;
  }

  // Returns false after a mistake: the layer needs an image or a volume and gets another type.
  bool IsOfPixels(InputNeed need, const InputType& input) {
    const bool images = need == InputNeed::kImage || need == InputNeed::kSpatial;
    const bool volumes = need == InputNeed::kVolume || need == InputNeed::kSpatial;
    if (!images && !volumes) return true;
    if ((images && input.IsImage()) || (volumes && input.IsVolume())) return true;
    const std::string_view needed = !volumes  ? "an image"
                                    : !images ? "a volume"
                                              : "an image or a volume";
    const std::string text =
        absl::StrCat("needs ", std::string(needed), ", but its input is ", Describe(input));
    if (input.IsVolume()) {
      mistakes_.Add(text, "Use a layer of volumes, as conv3d, max_pool3d or avg_pool3d");
    } else if (input.IsImage()) {
      mistakes_.Add(text, "Declare the input as a volume, or use a layer of images, as conv2d");
    } else {
      mistakes_.Add(
          text,
          absl::StrCat("Put it before the first dense or flatten layer, or declare the input as ",
                       std::string(needed)));
    }
    return false;
  }

  void SetShape(Source& made, std::optional<InputType> shape) {
    made.shape = shape;
    if (!shape) return;
    // A flat vector may be as long as the whole example: only its number of values is limited.
    const std::optional<int64_t> elements = CheckedElements(shape->Shape());
    if (!elements || *elements > limits::kMaxExampleElements || *elements < 1) {
      mistakes_.Add(absl::StrCat("its output, ", Describe(*shape), ", has more than ",
                                 limits::kMaxExampleElements, " values for one example"),
                    "Use fewer filters or units, or a larger stride");
      made.shape = std::nullopt;
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
        total_ = 0;  // later layers are checked separately
        return false;
      }
    }
    return true;
  }

  Mistakes& mistakes_;
  WeightDefaults defaults_;
  std::vector<Source> sources_;
  std::map<std::string, size_t> by_name_;  // listed layers and named inputs
  std::string unnamed_input_;  // name by which layers read it; empty if inputs have names
  int64_t total_ = 0;
  std::vector<LayerConfig> layers_;
};

}  // namespace

std::string QuotedName(std::string_view name) {
  return absl::StrCat("\"", absl::CHexEscape(std::string(name.substr(0, limits::kMaxName))), "\"");
}

std::string WhereOfLayer(const LayerConf& layer, size_t index) {
  return absl::StrCat("layer ", QuotedName(NameOf(layer)), " (layers[", index, "], ",
                      std::string(TagOf(layer)), ")");
}

std::vector<LayerConfig> ConnectLayers(const ModelConfig& model,
                                       const std::vector<std::optional<LayerConf>>& listed,
                                       Mistakes& mistakes) {
  std::set<std::string> later;
  for (const auto& layer : listed) {
    if (layer) later.insert(NameOf(*layer));
  }
  const size_t before = mistakes.size();
  LayerGraph graph(model, mistakes);
  for (size_t i = 0; i < listed.size(); ++i) {
    if (!listed[i]) {
      graph.AddUnreadable();
      continue;
    }
    later.erase(NameOf(*listed[i]));
    graph.Add(*listed[i], i, later);
  }
  // A layer that could not be read might be the reader of another layer.
  const bool whole = std::all_of(listed.begin(), listed.end(),
                                 [](const auto& layer) { return layer.has_value(); });
  if (whole && mistakes.size() == before) graph.CheckReaders();
  return graph.Take();
}

}  // namespace dl::nn
