#include "tests/onnx/exported_case.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "dataset/readers/table/column_encoder.h"
#include "dataset/target_normalizer.h"
#include "inference/onnx/onnx_model.h"
#include "nn/conf/model_outputs.h"
#include "nn/conf/segments.h"
#include "nn/network.h"
#include "tests/torch/seeded.h"

namespace dl::onnx_test {
namespace {

using torch::FillSeeded;
using torch::SeededWords;

constexpr int64_t kExamples = 5;

template <typename T>
std::string Base64Of(std::span<const T> values) {
  return absl::Base64Escape({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
}

// Values that are far from the default and keep the sizes of activations.
torch::Scale ScaleOf(const Segment& segment) {
  if (segment.kind == SegmentKind::kVariance) return {.center = 1, .bound = 0.5};
  if (segment.name.ends_with(".gamma")) return {.center = 1, .bound = 0.5};
  if (segment.shape.size() < 2) return {.center = 0, .bound = 0.3};
  const int64_t inputs = segment.size / segment.shape.front();
  if (segment.name.find("embedding") != std::string::npos) return {.center = 0, .bound = 1};
  return {.center = 0, .bound = std::sqrt(3.0 / static_cast<double>(inputs))};
}

std::vector<float> WeightsOf(const std::string& name, const SegmentTable& table) {
  std::vector<float> weights(table.size());
  for (const Segment& segment : table.segments()) {
    if (segment.kind == SegmentKind::kUpdater || segment.kind == SegmentKind::kCarried) continue;
    FillSeeded(name + "/" + segment.name, ScaleOf(segment),
               table.View(segment, std::span<float>(weights)));
  }
  return weights;
}

// Returns the number of indices of the embeddings that read an input; 0: it has other values.
int64_t IndicesOf(const nn::ModelConfig& model, size_t input) {
  int64_t indices = 0;
  for (const nn::LayerConfig& layer : model.layers) {
    const auto* embedding = std::get_if<nn::Embedding>(&layer.conf);
    if (embedding != nullptr && nn::InputIndex(layer.reads.front()) == input)
      indices = indices == 0 ? embedding->indices : std::min(indices, embedding->indices);
  }
  return indices;
}

dataset::Schema SchemaOf(const nn::ModelConfig& model) {
  dataset::Schema schema;
  schema.feature_shape = model.inputs.size() == 1
                             ? model.input().Shape()
                             : std::vector<int64_t>{nn::ElementsOf(model.inputs)};
  schema.variable_length = model.input().variable_length;
  return schema;
}

// The features of all examples: as stored, and as the model reads them.
struct Drawn {
  std::vector<uint8_t> bytes;
  std::vector<float> stored, features;
  std::vector<int32_t> lengths;
};

void DrawFeatures(const OnnxCase& of, const dataset::Schema& schema, Drawn& drawn) {
  SeededWords words(of.name + "/features");
  for (int64_t e = 0; e < kExamples; ++e) {
    for (size_t i = 0; i < of.model.inputs.size(); ++i) {
      const int64_t indices = IndicesOf(of.model, i);
      for (int64_t v = 0; v < of.model.inputs[i].type.Elements(); ++v) {
        const double value = indices > 0 ? words.Below(indices) : words.Uniform() * 2;
        drawn.stored.push_back(static_cast<float>(value));
        drawn.bytes.push_back(static_cast<uint8_t>(words.Below(256)));
      }
    }
    if (schema.variable_length) drawn.lengths.push_back(1 + words.Below(of.model.input().Steps()));
  }
}

Status EncodeRows(const OnnxCase& of, Drawn& drawn) {
  for (const std::vector<std::string>& row : of.rows) {
    dataset::FeatureRounder rounder(
        {.origins = of.schema.origins(), .features = static_cast<size_t>(of.schema.FeatureSize())});
    for (size_t c = 0; c < row.size(); ++c) {
      DL_RETURN_IF_ERROR(dataset::EncodeField(of.schema.columns()[c], row[c], row[c].empty(),
                                              rounder, drawn.stored));
    }
  }
  return absl::OkStatus();
}

void Normalize(const OnnxCase& of, const dataset::Schema& schema, Drawn& drawn) {
  const auto width = static_cast<size_t>(schema.FeatureSize());
  const dataset::FeatureScaler scaler(schema, of.normalizer);
  drawn.features.resize(drawn.stored.size());
  for (size_t at = 0; at < drawn.stored.size(); at += width) {
    const std::span<float> out = std::span(drawn.features).subspan(at, width);
    if (schema.feature_type() == dataset::FeatureType::kU8) {
      scaler.Apply(std::span<const uint8_t>(drawn.bytes).subspan(at, width), out);
    } else {
      scaler.Apply(std::span<const float>(drawn.stored).subspan(at, width), out);
    }
  }
}

// Returns a column of dates as the numbers that it is encoded as.
StatusOr<Json> DatesInput(const OnnxCase& of, size_t index) {
  dataset::FeatureColumn column = of.schema.columns()[index];
  column.fill_number = std::nan("");  // a missing date is NaN in the input
  std::vector<float> numbers;
  for (const std::vector<std::string>& row : of.rows) {
    dataset::FeatureRounder rounder({.features = static_cast<size_t>(column.Width())});
    DL_RETURN_IF_ERROR(
        dataset::EncodeField(column, row[index], row[index].empty(), rounder, numbers));
  }
  return Json(Base64Of(std::span<const float>(numbers)));
}

// Returns the text of a column as the input of the graph: categories as texts, numbers as numbers.
StatusOr<Json> ColumnInput(const OnnxCase& of, size_t column, const std::string& type) {
  if (of.schema.columns()[column].encoding == dataset::ColumnEncoding::kDate ||
      of.schema.columns()[column].encoding == dataset::ColumnEncoding::kDateParts)
    return DatesInput(of, column);
  Json texts = Json::array();
  std::vector<float> floats;
  std::vector<double> doubles;
  for (const std::vector<std::string>& row : of.rows) {
    texts.push_back(row[column]);
    double value = std::nan("");
    if (!row[column].empty() && !absl::SimpleAtod(row[column], &value)) value = std::nan("");
    floats.push_back(static_cast<float>(value));
    doubles.push_back(value);
  }
  if (type == "string") return texts;
  return type == "float64" ? Json(Base64Of(std::span<const double>(doubles)))
                           : Json(Base64Of(std::span<const float>(floats)));
}

Json ValuesInput(const Drawn& drawn, const std::string& type, const std::vector<double>& origins) {
  if (type == "uint8") return Base64Of(std::span<const uint8_t>(drawn.bytes));
  if (type == "float32") return Base64Of(std::span<const float>(drawn.stored));
  if (type == "int64") {
    const std::vector<int64_t> indices(drawn.stored.begin(), drawn.stored.end());
    return Base64Of(std::span<const int64_t>(indices));
  }
  std::vector<double> values;  // with origins
  for (size_t i = 0; i < drawn.stored.size(); ++i)
    values.push_back(static_cast<double>(drawn.stored[i]) + origins[i % origins.size()]);
  return Base64Of(std::span<const double>(values));
}

StatusOr<Json> InputsOf(const OnnxCase& of, const dataset::Schema& schema, const Drawn& drawn,
                        int64_t examples, const Json& description) {
  Json inputs = Json::array();
  size_t column = 0;
  for (const Json& input : description.at("inputs")) {
    const std::string kind = input.at("kind"), type = input.at("type");
    Json shape = input.at("shape");
    shape.front() = examples;
    Json data;
    if (kind == "column") {
      DL_ASSIGN_OR_RETURN(data, ColumnInput(of, column++, type));
    } else if (kind == "lengths") {
      data = Base64Of(std::span<const int32_t>(drawn.lengths));
    } else {
      data = ValuesInput(drawn, type, schema.origins());
    }
    inputs.push_back(
        {{"name", input.at("name")}, {"type", type}, {"shape", shape}, {"data", data}});
  }
  return inputs;
}

// Returns the predictions of an output as `dl-submit predict` prints them.
std::vector<double> Printed(const OnnxCase& of, const dataset::Schema& schema,
                            const nn::ModelOutput& output, std::span<const float> predictions) {
  std::vector<float> values(predictions.begin(), predictions.end());
  const bool predicts_numbers = output.label_count == output.conf.units && !output.HasClasses();
  if (predicts_numbers) {
    dataset::TargetScaler(of.target_normalizer)
        .Restore(output.first_label, output.label_count, values);
  }
  std::vector<double> printed(values.begin(), values.end());
  if (predicts_numbers && !schema.target_origins().empty()) {
    for (size_t i = 0; i < printed.size(); ++i)
      printed[i] += schema.target_origins()[output.first_label + i % output.label_count];
  }
  return printed;
}

StatusOr<Json> Predict(const OnnxCase& of, const dataset::Schema& schema, const Drawn& drawn,
                       int64_t examples) {
  DL_ASSIGN_OR_RETURN(
      const std::unique_ptr<nn::Network> network,
      nn::Network::Create(of.model, {.max_batch = 0, .max_evaluation_batch = examples}));
  DL_RETURN_IF_ERROR(network->Load(WeightsOf(of.name, network->table())));
  DL_RETURN_IF_ERROR(
      network->Predict({.examples = examples, .features = drawn.features, .lengths = drawn.lengths})
          .status());
  const std::vector<nn::ModelOutput> outputs = nn::OutputsOf(of.model);
  Json json = Json::array();
  for (size_t i = 0; i < outputs.size(); ++i) {
    const nn::InputType& type = outputs[i].type;
    std::vector<int64_t> shape = type.Shape();
    shape.insert(shape.begin(), examples);
    Json one = {{"name", outputs[i].name},
                {"shape", shape},
                {"data", Base64Of(std::span<const double>(
                             Printed(of, schema, outputs[i], network->LastPredictions(i))))}};
    if (type.variable_length) {
      for (int64_t row = 0; row < examples * type.Steps(); ++row) {
        const int32_t length = drawn.lengths[row / type.Steps()];
        one["counts"].push_back(row % type.Steps() < type.StepsOf(length) ? 1 : 0);
      }
    }
    json.push_back(std::move(one));
  }
  return json;
}

}  // namespace

StatusOr<ExportedCase> Export(const OnnxCase& of) {
  const dataset::Schema schema = of.schema.feature_shape.empty() ? SchemaOf(of.model) : of.schema;
  Drawn drawn;
  if (of.rows.empty()) {
    DrawFeatures(of, schema, drawn);
  } else {
    DL_RETURN_IF_ERROR(EncodeRows(of, drawn));
  }
  Normalize(of, schema, drawn);
  const int64_t examples = of.rows.empty() ? kExamples : static_cast<int64_t>(of.rows.size());
  const SegmentTable table = nn::FullTable(of.model);
  const std::vector<float> weights = WeightsOf(of.name, table);
  DL_ASSIGN_OR_RETURN(const inference::OnnxModel model,
                      inference::OnnxModel::Create({.model = of.model,
                                                    .table = table,
                                                    .weights = weights,
                                                    .schema = schema,
                                                    .normalizer = of.normalizer,
                                                    .target_normalizer = of.target_normalizer}));
  ExportedCase made;
  DL_RETURN_IF_ERROR(model.Write({}, [&](std::string_view piece) {
    made.onnx += piece;
    return absl::OkStatus();
  }));
  made.description = model.Description();
  DL_ASSIGN_OR_RETURN(made.inputs, InputsOf(of, schema, drawn, examples, made.description));
  DL_ASSIGN_OR_RETURN(made.outputs, Predict(of, schema, drawn, examples));
  return made;
}

std::vector<double> ValuesOf(const Json& output) {
  std::string bytes;
  absl::Base64Unescape(output.at("data").get<std::string>(), &bytes);
  std::vector<double> values(bytes.size() / sizeof(double));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

}  // namespace dl::onnx_test
