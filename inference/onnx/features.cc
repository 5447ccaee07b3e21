#include "inference/onnx/features.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "nn/conf/layer_config.h"

namespace dl::inference {
namespace {

// Returns whether each layer that reads an input of the model is an embedding.
bool ReadsOnlyIndices(const nn::ModelConfig& model) {
  return std::ranges::all_of(model.layers, [](const nn::LayerConfig& layer) {
    return std::ranges::none_of(layer.reads, nn::IsInput) ||
           std::holds_alternative<nn::Embedding>(layer.conf);
  });
}

class FeatureWriter {
 public:
  FeatureWriter(const dataset::Schema& schema, OnnxGraph& graph) : schema_(schema), graph_(graph) {}

  std::vector<OnnxInput> TakeInputs() { return std::move(inputs_); }

  std::string Input(OnnxInput input) {
    input.name = graph_.Input(input.name, input.type, input.shape);
    return inputs_.emplace_back(std::move(input)).name;
  }

  // Returns the features as they are stored, [examples, ...feature_shape].
  std::string Stored(bool reads_indices) {
    if (!schema_.columns().empty()) return Columns();
    std::vector<int64_t> shape = {kAnyExamples};
    shape.insert(shape.end(), schema_.feature_shape.begin(), schema_.feature_shape.end());
    if (reads_indices) {
      return Input({.kind = OnnxInput::Kind::kIndices,
                    .name = "input",
                    .type = OnnxType::kInt64,
                    .shape = shape});
    }
    const bool has_origins = !schema_.origins().empty();
    const OnnxType type = schema_.feature_type() == dataset::FeatureType::kU8 ? OnnxType::kUint8
                          : has_origins                                       ? OnnxType::kDouble
                                                                              : OnnxType::kFloat;
    const std::string input = Input({.name = "input", .type = type, .shape = shape});
    return has_origins ? WithoutOrigins(input, schema_.origins()) : input;
  }

  // Returns (x - shift) * scale, computed in double and rounded once.
  std::string Normalized(const std::string& x, const dataset::Normalizer& normalizer) {
    if (normalizer.kind == dataset::NormalizerKind::kNone) return Cast(x, OnnxType::kFloat);
    std::vector<double> scales(normalizer.first.size());
    for (size_t i = 0; i < scales.size(); ++i) scales[i] = dataset::ScaleOf(normalizer, i);
    const std::string centered =
        Op("Sub", {Cast(x, OnnxType::kDouble), PerFeature(normalizer.first)});
    return Cast(Op("Mul", {centered, PerFeature(scales)}), OnnxType::kFloat);
  }

  // Returns the values of the model's inputs.
  std::vector<std::string> Divided(const std::string& x,
                                   const std::vector<nn::NamedInput>& inputs) {
    if (inputs.size() == 1 && inputs.front().type.Shape() == schema_.feature_shape) return {x};
    const int64_t all = schema_.FeatureSize();
    const std::string flat = Reshaped(x, {all});
    std::vector<std::string> values;
    int64_t begin = 0;
    for (const nn::NamedInput& input : inputs) {
      const int64_t end = begin + input.type.Elements();
      const std::string own = end - begin == all
                                  ? flat
                                  : Op("Slice", {flat, graph_.Integers({begin}),
                                                 graph_.Integers({end}), graph_.Integers({1})});
      values.push_back(Reshaped(own, input.type.Shape()));
      begin = end;
    }
    return values;
  }

 private:
  std::string Op(std::string_view op, std::vector<std::string> inputs,
                 OnnxAttributes attributes = {}) {
    return graph_.Add({.op = op, .inputs = std::move(inputs), .attributes = std::move(attributes)});
  }
  std::string Cast(const std::string& x, OnnxType type) {
    return Op("Cast", {x}, {{"to", OnnxTypeCode(type)}});
  }
  std::string Reshaped(const std::string& x, std::vector<int64_t> shape) {
    shape.insert(shape.begin(), 0);
    return Op("Reshape", {x, graph_.Integers(std::move(shape))});
  }

  // Returns a constant with one value for each normalized feature, shaped to be combined with
  // [examples, ...feature_shape].
  std::string PerFeature(const std::vector<double>& values) {
    std::vector<int64_t> shape = {static_cast<int64_t>(values.size())};
    if (schema_.feature_shape.size() >= 3) shape.resize(schema_.feature_shape.size(), 1);
    return graph_.Constant(std::span<const double>(values), shape);
  }

  std::string WithoutOrigins(const std::string& x, const std::vector<double>& origins) {
    return Cast(Op("Sub", {x, PerFeature(origins)}), OnnxType::kFloat);
  }

  std::string Columns() {
    std::vector<std::string> features;
    size_t feature = 0;
    for (size_t i = 0; i < schema_.columns().size(); ++i) {
      const dataset::FeatureColumn& column = schema_.columns()[i];
      features.push_back(column.HasCategories() ? Categories(i) : Numbers(i, feature));
      feature += static_cast<size_t>(column.Width());
    }
    return Op("Concat", std::move(features), {{"axis", int64_t{-1}}});
  }

  std::string ColumnInput(size_t index, OnnxType type, int64_t width) {
    const std::string& name = schema_.columns()[index].name;
    std::vector<int64_t> shape = {kAnyExamples};
    if (schema_.feature_shape.size() == 2) shape.push_back(schema_.feature_shape.front());
    shape.push_back(width);
    return Input({.kind = OnnxInput::Kind::kColumn,
                  .name = name.empty() ? absl::StrCat("column_", index) : name,
                  .type = type,
                  .shape = std::move(shape),
                  .column = index});
  }

  // Returns the features of a column of numbers or dates. The first is number `feature`.
  std::string Numbers(size_t index, size_t feature) {
    const dataset::FeatureColumn& column = schema_.columns()[index];
    const int64_t width = column.Width();
    std::vector<double> origins(width, 0.0);
    if (!schema_.origins().empty())
      std::copy_n(schema_.origins().begin() + static_cast<int64_t>(feature), width,
                  origins.begin());
    const bool has_origins = std::ranges::any_of(origins, [](double x) { return x != 0; });
    const OnnxType type = has_origins ? OnnxType::kDouble : OnnxType::kFloat;
    std::string value = ColumnInput(index, type, width);
    if (column.fill_number) {
      const double fill = *column.fill_number;
      const std::string constant = has_origins ? graph_.Constant(std::span(&fill, 1), {})
                                               : graph_.Scalar(static_cast<float>(fill));
      value = Op("Where", {Op("IsNaN", {value}), constant, value});
    }
    if (!has_origins) return value;
    const std::string constant = graph_.Constant(std::span<const double>(origins), {width});
    return Cast(Op("Sub", {value, constant}), OnnxType::kFloat);
  }

  std::string Categories(size_t index) {
    const dataset::FeatureColumn& column = schema_.columns()[index];
    const std::vector<std::string>& known = column.categories;
    const auto count = static_cast<int64_t>(known.size());
    std::vector<std::string> texts = known;
    std::vector<int64_t> places(known.size());
    std::iota(places.begin(), places.end(), int64_t{0});
    if (column.fill_category && !std::ranges::binary_search(known, "")) {
      const auto place = std::ranges::lower_bound(known, *column.fill_category);
      if (place != known.end() && *place == *column.fill_category) {
        texts.emplace_back();
        places.push_back(place - known.begin());
      }
    }
    const std::string place = graph_.Add({.op = "LabelEncoder",
                                          .inputs = {ColumnInput(index, OnnxType::kString, 1)},
                                          .attributes = {{"keys_strings", std::move(texts)},
                                                         {"values_int64s", std::move(places)},
                                                         {"default_int64", count}},
                                          .domain = "ai.onnx.ml"});
    if (column.encoding == dataset::ColumnEncoding::kIndex) return Cast(place, OnnxType::kFloat);
    const float values[] = {0, 1};
    const std::string one_hot =
        Op("OneHot",
           {place, graph_.Integers({count}), graph_.Constant(std::span<const float>(values), {2})});
    return Op("Squeeze", {one_hot, graph_.Integers({-2})});
  }

  const dataset::Schema& schema_;
  OnnxGraph& graph_;
  std::vector<OnnxInput> inputs_;
};

}  // namespace

OnnxFeatures WriteFeatures(const dataset::Schema& schema, const dataset::Normalizer& normalizer,
                           const nn::ModelConfig& model, OnnxGraph& graph) {
  graph.SetScope("features");
  FeatureWriter write(schema, graph);
  const bool is_plain = normalizer.kind == dataset::NormalizerKind::kNone;
  const bool reads_indices =
      is_plain && schema.columns().empty() && schema.origins().empty() && ReadsOnlyIndices(model);
  const std::string stored = write.Stored(reads_indices);
  const std::string features = reads_indices ? stored : write.Normalized(stored, normalizer);
  OnnxFeatures made;
  made.model_inputs.values = write.Divided(features, model.inputs);
  if (schema.variable_length) {
    made.model_inputs.lengths = write.Input({.kind = OnnxInput::Kind::kLengths,
                                             .name = "lengths",
                                             .type = OnnxType::kInt32,
                                             .shape = {kAnyExamples}});
  }
  made.inputs = write.TakeInputs();
  return made;
}

}  // namespace dl::inference
