// The context in which a function writes a layer as ONNX nodes (inference/onnx/layers.h).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "inference/onnx/graph.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/step_lengths.h"

namespace dl::inference {

// Computes which steps of sequences of variable length exist. Adds each value once.
class OnnxLengths {
 public:
  // `input` is the name of an int32 list with the length of each example in the data; "" if all
  // examples have all steps. `graph` must outlive this object.
  OnnxLengths(OnnxGraph& graph, std::string input) : graph_(graph), input_(std::move(input)) {}

  // Return the name of a value for examples of this type, which must have a variable length.
  // Of: the number of existing steps, int64 [examples]. MaskOf: whether a step exists, bool
  // [examples, steps, 1].
  const std::string& Of(const nn::InputType& type);
  const std::string& MaskOf(const nn::InputType& type);

 private:
  std::string Apply(const nn::StepWindow& window, const std::string& lengths);

  struct Entry {
    nn::StepLengths lengths;
    std::string value;
    std::map<int64_t, std::string> masks;  // by number of steps
  };
  Entry& EntryOf(const nn::InputType& type);

  OnnxGraph& graph_;
  const std::string input_;
  std::deque<Entry> entries_;  // references stay valid
};

// A layer, with the values that it reads. Values have the shape [examples, ...]: [features] for
// flat values, [channels, height, width] for images, [channels, depth, height, width] for volumes,
// and [steps, features] for sequences.
struct OnnxLayer {
  const nn::ModelConfig& model;
  const nn::LayerConfig& layer;
  std::vector<std::string> inputs;  // names of the values that the layer reads
  OnnxGraph& graph;
  OnnxLengths& lengths;

  const std::string& x() const { return inputs.front(); }
  // Returns the name that a parameter of the layer, such as "weight", has in the graph. Another
  // layer may own the parameter.
  std::string Parameter(std::string_view name) const;

  // Appends a node whose inputs are the named values, and returns the name of its output.
  std::string Add(std::string_view op, std::vector<std::string> values,
                  OnnxAttributes attributes = {}) const {
    return graph.Add({.op = op, .inputs = std::move(values), .attributes = std::move(attributes)});
  }
  // Changes the shape of each example of a value, and returns the name of the result. `shape` lacks
  // the axis of examples.
  std::string Reshape(const std::string& value, std::vector<int64_t> shape) const;
  // Selects the range [begin, end) of an axis, and returns the name of the result. Axis 0 is that
  // of the examples.
  std::string Slice(const std::string& value, int64_t axis, int64_t begin, int64_t end) const;
};

}  // namespace dl::inference
