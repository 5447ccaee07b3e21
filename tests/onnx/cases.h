// The models whose ONNX files are compared with the engine.
#pragma once

#include <vector>

#include "tests/onnx/exported_case.h"

namespace dl::onnx_test {

// Returns these models, with distinct names:
//   - the models of the gradient tests, which have each sample of each layer type.
//   - sequences of variable length, activations of large values, and options of layers.
//   - each model of the zoo with a small input.
//   - all kinds of preprocessing.
std::vector<OnnxCase> AllCases();

// Returns each model of the zoo with its published input. The files have 1.3 GB.
std::vector<OnnxCase> PublishedZoo();

}  // namespace dl::onnx_test
