#include "inference/onnx/attention.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "inference/onnx/products.h"

namespace dl::inference {
namespace {

struct Heads {
  std::string queries, keys, values;  // [examples, steps, features]
  int64_t query_steps = 0, key_steps = 0;
  int64_t heads = 1;
  std::string seen = {};  // bool, broadcast to [examples, heads, queries, keys]; "": all
};

// Returns [examples, heads, steps, size], or [examples, heads, size, steps] with the other order of
// axes.
std::string Split(const OnnxLayer& layer, const std::string& rows, int64_t steps, int64_t heads,
                  std::vector<int64_t> axes) {
  const int64_t size = layer.layer.input.channels / heads;
  return layer.Add("Transpose", {layer.Reshape(rows, {steps, heads, size})}, {{"perm", axes}});
}

// Returns softmax(Q K^T / sqrt(size)) V, [examples, query steps, features].
std::string Attend(const OnnxLayer& layer, const Heads& of) {
  const int64_t features = layer.layer.input.channels;
  const double size = static_cast<double>(features / of.heads);
  const std::string q = Split(layer, of.queries, of.query_steps, of.heads, {0, 2, 1, 3});
  const std::string k = Split(layer, of.keys, of.key_steps, of.heads, {0, 2, 3, 1});
  const std::string v = Split(layer, of.values, of.key_steps, of.heads, {0, 2, 1, 3});
  const std::string scale = layer.graph.Scalar(static_cast<float>(1.0 / std::sqrt(size)));
  std::string scores = layer.Add("Mul", {layer.Add("MatMul", {q, k}), scale});
  if (!of.seen.empty()) {
    const std::string unseen = layer.graph.Scalar(-std::numeric_limits<float>::infinity());
    scores = layer.Add("Where", {of.seen, scores, unseen});
  }
  const std::string weights = layer.Add("Softmax", {scores}, {{"axis", int64_t{-1}}});
  const std::string answers = layer.Add("Transpose", {layer.Add("MatMul", {weights, v})},
                                        {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
  return layer.Reshape(answers, {of.query_steps, features});
}

// Returns which keys a query sees; "" if it sees all.
std::string SeenKeys(const OnnxLayer& layer, bool causal) {
  const nn::InputType& input = layer.layer.input;
  std::string seen;
  if (causal) {
    std::vector<int64_t> steps(input.Steps());
    std::iota(steps.begin(), steps.end(), int64_t{0});
    const std::span<const int64_t> all(steps);
    const std::string keys = layer.graph.Constant(all, {1, input.Steps()});
    const std::string queries = layer.graph.Constant(all, {input.Steps(), 1});
    seen = layer.Add("LessOrEqual", {keys, queries});
  }
  if (!input.variable_length) return seen;
  const std::string turned = layer.Add("Transpose", {layer.lengths.MaskOf(input)},
                                       {{"perm", std::vector<int64_t>{0, 2, 1}}});
  const std::string exists = layer.Add("Unsqueeze", {turned, layer.graph.Integers({1})});
  return seen.empty() ? exists : layer.Add("And", {seen, exists});
}

}  // namespace

std::string WriteSelfAttention(const OnnxLayer& layer, const nn::SelfAttention& conf) {
  const nn::InputType& input = layer.layer.input;
  const int64_t features = input.channels;
  const std::string all =
      WriteProduct(layer, {.x = layer.x(), .prefix = "qkv_", .bias = conf.bias});
  const std::string answers =
      Attend(layer, {.queries = layer.Slice(all, 2, 0, features),
                     .keys = layer.Slice(all, 2, features, 2 * features),
                     .values = layer.Slice(all, 2, 2 * features, 3 * features),
                     .query_steps = input.Steps(),
                     .key_steps = input.Steps(),
                     .heads = conf.heads,
                     .seen = SeenKeys(layer, conf.causal)});
  return WriteProduct(layer, {.x = answers, .prefix = "", .bias = conf.bias});
}

std::string WriteCrossAttention(const OnnxLayer& layer, const nn::CrossAttention& conf) {
  const int64_t features = layer.layer.input.channels;
  const std::string queries =
      WriteProduct(layer, {.x = layer.inputs[0], .prefix = "q_", .bias = conf.bias});
  const std::string both =
      WriteProduct(layer, {.x = layer.inputs[1], .prefix = "kv_", .bias = conf.bias});
  const std::string answers = Attend(layer, {.queries = queries,
                                             .keys = layer.Slice(both, 2, 0, features),
                                             .values = layer.Slice(both, 2, features, 2 * features),
                                             .query_steps = layer.layer.input.Steps(),
                                             .key_steps = layer.layer.other_inputs.front().Steps(),
                                             .heads = conf.heads});
  return WriteProduct(layer, {.x = answers, .prefix = "", .bias = conf.bias});
}

}  // namespace dl::inference
