// A model with inputs, its ONNX file, and the predictions of the engine for the same inputs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "dataset/normalizer.h"
#include "dataset/schema.h"
#include "nn/conf/model_config.h"

namespace dl::onnx_test {

struct OnnxCase {
  std::string name;  // decides the weights and the inputs
  nn::ModelConfig model;
  dataset::Schema schema = {};  // without a shape: made from the model
  dataset::Normalizer normalizer = {}, target_normalizer = {};
  // For tables: texts of the columns of each example. Empty: the features are drawn.
  std::vector<std::vector<std::string>> rows = {};
};

struct ExportedCase {
  std::string onnx;  // content of the file
  Json description;
  // For each input, as `description` orders them: {"type", "shape", "data"}. The data are base64 of
  // the bytes in the order of x86-64, or a list of texts.
  Json inputs;
  // For each output: {"shape", "data", "counts"}. The data are base64 of float64; "counts" is a
  // list of 0 and 1 for each row that counts, absent if all do.
  Json outputs;
};

// Draws weights and inputs from the name of the case, writes the ONNX file, and predicts with the
// engine. Returns errors of both.
StatusOr<ExportedCase> Export(const OnnxCase& of);

// Returns the values of an output of an ExportedCase.
std::vector<double> ValuesOf(const Json& output);

}  // namespace dl::onnx_test
