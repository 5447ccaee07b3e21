// The inputs of an exported model, and the preprocessing that is part of its graph.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataset/normalizer.h"
#include "dataset/schema.h"
#include "inference/onnx/graph.h"
#include "inference/onnx/layers.h"
#include "nn/conf/model_config.h"

namespace dl::inference {

struct OnnxInput {
  // kValues: all features of an example, as the source has them: without normalization, and with
  // origins not subtracted. kIndices: all features of an example as indices, for a model that only
  // looks up embeddings. kColumn: a column of a table. kLengths: the number of steps of each
  // example.
  enum class Kind : uint8_t { kValues, kIndices, kColumn, kLengths };

  Kind kind = Kind::kValues;
  std::string name;
  OnnxType type = OnnxType::kFloat;
  std::vector<int64_t> shape;         // begins with kAnyExamples
  std::optional<size_t> column = {};  // index in Schema::columns() for kColumn
};

struct OnnxFeatures {
  std::vector<OnnxInput> inputs;  // of the graph
  OnnxModelInputs model_inputs;   // what the layers read
};

// Declares the inputs and appends everything between the data and the model: encodings of columns
// (dataset/feature_column.h), origins, the normalizer, and the division among several inputs of the
// model. Dates are inputs of numbers, because ONNX has no operator that parses dates: kDate has one
// number, kDateParts six. A missing number is NaN, and a missing category the empty text. The
// graph does not check them: a missing number without a replacement stays NaN, and categories that
// the training set lacks are ignored, even if `dl-submit predict` refuses them. REQUIRES: the
// schema is that of the training split, and the normalizer and the model match it.
OnnxFeatures WriteFeatures(const dataset::Schema& schema, const dataset::Normalizer& normalizer,
                           const nn::ModelConfig& model, OnnxGraph& graph);

}  // namespace dl::inference
