#include "inference/onnx/recurrence.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "inference/onnx/activation_nodes.h"
#include "nn/conf/kinds.h"

namespace dl::inference {
namespace {

// The gates of a cell, in the order of ONNX: numbers of gates in the order of the layer.
struct Gates {
  int64_t units = 0;
  std::vector<int64_t> order = {0};

  int64_t count() const { return static_cast<int64_t>(order.size()); }
  int64_t rows() const { return count() * units; }
};

// The states of a layer: at all steps [steps, directions, examples, units], and after the last step
// of each example [directions, examples, units].
struct States {
  std::string all, last;
};

class RecurrenceWriter {
 public:
  RecurrenceWriter(const OnnxLayer& layer, const nn::RecurrentKeys& conf, Gates gates)
      : layer_(layer), conf_(conf), gates_(std::move(gates)) {}

  // Returns the operands of ONNX's RNN, GRU and LSTM. `recurrent_bias` gives the bias of the
  // product with the states, [1, rows], for the parameters with a prefix.
  template <typename RecurrentBias>
  std::vector<std::string> Operands(const std::vector<float>& added_bias,
                                    const RecurrentBias& recurrent_bias) const {
    std::vector<std::string> weights, recurrent, biases;
    for (const std::string& prefix : conf_.Prefixes()) {
      weights.push_back(InOrder(prefix + "weight", layer_.layer.input.channels));
      recurrent.push_back(InOrder(prefix + "recurrent_weight", gates_.units));
      std::string bias = InOrder(prefix + "bias", 0);
      if (!added_bias.empty()) {
        const std::string added =
            layer_.graph.Constant(std::span<const float>(added_bias), {1, gates_.rows()});
        bias = layer_.Add("Add", {bias, added});
      }
      biases.push_back(
          layer_.Add("Concat", {bias, recurrent_bias(prefix)}, {{"axis", int64_t{1}}}));
    }
    return {StepsFirst(), Joined(weights), Joined(recurrent), Joined(biases), LengthsOrNone()};
  }
  std::string Zeros(int64_t count) const {
    const std::vector<float> zeros(count, 0.0f);
    return layer_.graph.Constant(std::span<const float>(zeros), {1, count});
  }

  OnnxAttributes Attributes() const {
    const std::string direction = conf_.IsBidirectional()                       ? "bidirectional"
                                  : conf_.direction == nn::Direction::kBackward ? "reverse"
                                                                                : "forward";
    return {{"hidden_size", gates_.units}, {"direction", direction}};
  }

  States Add(std::string_view op, std::vector<std::string> operands,
             OnnxAttributes attributes) const {
    const std::vector<std::string> states = layer_.graph.AddSeveral(
        {.op = op, .inputs = std::move(operands), .attributes = std::move(attributes)}, 2);
    return {.all = states[0], .last = states[1]};
  }

  // Computes a simple network with any activation by the operator Scan.
  States Scan(const nn::ActivationConf& activation) const {
    std::vector<std::string> all, last;
    for (const std::string& prefix : conf_.Prefixes()) {
      const bool backward =
          conf_.direction == nn::Direction::kBackward || prefix != conf_.Prefixes().front();
      const States states = ScanOnce(prefix, activation, backward);
      all.push_back(layer_.Add("Unsqueeze", {states.all, layer_.graph.Integers({1})}));
      last.push_back(layer_.Add("Unsqueeze", {states.last, layer_.graph.Integers({0})}));
    }
    return {.all = layer_.Add("Concat", all, {{"axis", int64_t{1}}}), .last = Joined(last)};
  }

  // Returns the layer's output.
  std::string Merge(const States& states) const {
    const bool is_sequence = conf_.return_sequences;
    const std::string& value = is_sequence ? states.all : states.last;
    const int64_t axis = is_sequence ? 1 : 0;  // of directions
    if (conf_.IsBidirectional() && conf_.merge != nn::StateMerge::kConcat) {
      const std::string merged = Reduced(value, axis);
      if (!is_sequence) return merged;
      return layer_.Add("Transpose", {merged}, {{"perm", std::vector<int64_t>{1, 0, 2}}});
    }
    const std::vector<int64_t> examples_first =
        is_sequence ? std::vector<int64_t>{2, 0, 1, 3} : std::vector<int64_t>{1, 0, 2};
    return layer_.Reshape(layer_.Add("Transpose", {value}, {{"perm", examples_first}}),
                          layer_.layer.output.Shape());
  }

 private:
  // Returns a parameter with its gates in ONNX's order, [1, rows, columns] or, for a bias,
  // [1, rows].
  std::string InOrder(const std::string& name, int64_t columns) const {
    const auto shape = [&](std::vector<int64_t> of_rows) {
      if (columns > 0) of_rows.push_back(columns);
      return layer_.graph.Integers(std::move(of_rows));
    };
    std::string value = layer_.Parameter(name);
    if (gates_.count() > 1) {
      value = layer_.Add("Reshape", {value, shape({gates_.count(), gates_.units})});
      value = layer_.Add("Gather", {value, layer_.graph.Integers(gates_.order)});
    }
    return layer_.Add("Reshape", {value, shape({1, gates_.rows()})});
  }

  std::string Joined(const std::vector<std::string>& directions) const {
    if (directions.size() == 1) return directions.front();
    return layer_.Add("Concat", directions, {{"axis", int64_t{0}}});
  }

  std::string StepsFirst() const {
    return layer_.Add("Transpose", {layer_.x()}, {{"perm", std::vector<int64_t>{1, 0, 2}}});
  }

  std::string LengthsOrNone() const {
    if (!layer_.layer.input.variable_length) return "";
    return layer_.Add("Cast", {layer_.lengths.Of(layer_.layer.input)},
                      {{"to", OnnxTypeCode(OnnxType::kInt32)}});
  }

  std::string Reduced(const std::string& value, int64_t axis) const {
    const OnnxAttributes with_axes = {{"axes", std::vector<int64_t>{axis}},
                                      {"keepdims", int64_t{0}}};
    if (conf_.merge == nn::StateMerge::kAverage)
      return layer_.Add("ReduceMean", {value}, with_axes);
    if (conf_.merge == nn::StateMerge::kProduct)
      return layer_.Add("ReduceProd", {value}, with_axes);
    return layer_.Add("ReduceSum", {value, layer_.graph.Integers({axis})},
                      {{"keepdims", int64_t{0}}});
  }

  // Returns all states of one direction, [steps, examples, units], and the last, [examples, units].
  States ScanOnce(const std::string& prefix, const nn::ActivationConf& activation,
                  bool backward) const {
    const auto turned = [&](const std::string& name) {
      return layer_.Add("Transpose", {layer_.Parameter(prefix + name)},
                        {{"perm", std::vector<int64_t>{1, 0}}});
    };
    const std::string products = layer_.Add("MatMul", {StepsFirst(), turned("weight")});
    const std::string gates = layer_.Add("Add", {products, layer_.Parameter(prefix + "bias")});
    std::vector<std::string> inputs = {ZeroState(), gates};
    if (layer_.layer.input.variable_length) {
      inputs.push_back(layer_.Add("Transpose", {layer_.lengths.MaskOf(layer_.layer.input)},
                                  {{"perm", std::vector<int64_t>{1, 0, 2}}}));
    }
    OnnxGraph body(absl::StrCat(layer_.layer.name, "_", prefix, "step"),
                   absl::StrCat(layer_.layer.name, "/", prefix, "step/"));
    WriteStep(turned("recurrent_weight"), activation, body);
    const std::vector<int64_t> order = {backward ? 1 : 0};
    const auto scanned = static_cast<int64_t>(inputs.size()) - 1;
    const std::vector<int64_t> orders(scanned, order.front());
    const std::vector<std::string> states =
        layer_.graph.AddSeveral({.op = "Scan",
                                 .inputs = std::move(inputs),
                                 .attributes = {{"body", &body},
                                                {"num_scan_inputs", scanned},
                                                {"scan_input_directions", orders},
                                                {"scan_output_directions", order}}},
                                2);
    return {.all = states[1], .last = states[0]};
  }

  // Writes h = f(gates + R h), which keeps h where an example has no step.
  void WriteStep(const std::string& recurrent_weight, const nn::ActivationConf& activation,
                 OnnxGraph& body) const {
    const std::vector<int64_t> shape = {kAnyExamples, gates_.units};
    const std::string before = body.Input("state", OnnxType::kFloat, shape);
    const std::string gates = body.Input("gates", OnnxType::kFloat, shape);
    const std::string product = body.Add({.op = "MatMul", .inputs = {before, recurrent_weight}});
    std::string after =
        WriteActivation(activation, body.Add({.op = "Add", .inputs = {gates, product}}), body);
    if (layer_.layer.input.variable_length) {
      const std::string exists = body.Input("exists", OnnxType::kBool, {kAnyExamples, 1});
      after = body.Add({.op = "Where", .inputs = {exists, after, before}});
    }
    body.Output("next_state", after, OnnxType::kFloat, shape);
    body.Output("output", after, OnnxType::kFloat, shape);
  }

  std::string ZeroState() const {
    const std::string examples =
        layer_.Add("Shape", {layer_.x()}, {{"start", int64_t{0}}, {"end", int64_t{1}}});
    const std::string shape = layer_.Add(
        "Concat", {examples, layer_.graph.Integers({gates_.units})}, {{"axis", int64_t{0}}});
    return layer_.Add("ConstantOfShape", {shape});
  }

  const OnnxLayer& layer_;
  const nn::RecurrentKeys& conf_;
  const Gates gates_;
};

}  // namespace

std::string WriteSimpleRnn(const OnnxLayer& layer, const nn::SimpleRnn& conf) {
  using Kind = nn::ActivationKind;
  const RecurrenceWriter write(layer, conf, {.units = conf.units});
  const Kind kind = conf.activation.kind;
  const std::string name = kind == Kind::kTanh      ? "Tanh"
                           : kind == Kind::kRelu    ? "Relu"
                           : kind == Kind::kSigmoid ? "Sigmoid"
                                                    : "";
  if (name.empty()) return write.Merge(write.Scan(conf.activation));
  OnnxAttributes attributes = write.Attributes();
  attributes.push_back({"activations", std::vector<std::string>(conf.Prefixes().size(), name)});
  const auto no_bias = [&](const std::string&) { return write.Zeros(conf.units); };
  return write.Merge(write.Add("RNN", write.Operands({}, no_bias), std::move(attributes)));
}

std::string WriteGru(const OnnxLayer& layer, const nn::Gru& conf) {
  // ONNX's order is z, r, n.
  const RecurrenceWriter write(layer, conf, {.units = conf.units, .order = {1, 0, 2}});
  const auto recurrent_bias = [&](const std::string& prefix) {
    if (!conf.reset_after) return write.Zeros(nn::Gru::kGates * conf.units);
    const std::string bias = layer.Add(
        "Unsqueeze", {layer.Parameter(prefix + "recurrent_bias"), layer.graph.Integers({0})});
    return layer.Add("Concat", {write.Zeros(2 * conf.units), bias}, {{"axis", int64_t{1}}});
  };
  OnnxAttributes attributes = write.Attributes();
  attributes.push_back({"linear_before_reset", int64_t{conf.reset_after ? 1 : 0}});
  return write.Merge(write.Add("GRU", write.Operands({}, recurrent_bias), std::move(attributes)));
}

std::string WriteLstm(const OnnxLayer& layer, const nn::Lstm& conf) {
  // ONNX's order is i, o, f, g.
  const RecurrenceWriter write(layer, conf, {.units = conf.units, .order = {0, 3, 1, 2}});
  std::vector<float> forget_bias(nn::Lstm::kGates * conf.units, 0.0f);
  std::fill_n(forget_bias.begin() + 2 * conf.units, conf.units,
              static_cast<float>(conf.forget_bias));
  const auto no_bias = [&](const std::string&) {
    return write.Zeros(nn::Lstm::kGates * conf.units);
  };
  return write.Merge(write.Add("LSTM", write.Operands(forget_bias, no_bias), write.Attributes()));
}

}  // namespace dl::inference
