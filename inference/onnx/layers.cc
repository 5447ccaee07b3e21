#include "inference/onnx/layers.h"

#include <utility>

#include "base/overloaded.h"
#include "inference/onnx/activation_nodes.h"
#include "inference/onnx/attention.h"
#include "inference/onnx/layer_context.h"
#include "inference/onnx/norms.h"
#include "inference/onnx/pooling.h"
#include "inference/onnx/products.h"
#include "inference/onnx/recurrence.h"
#include "inference/onnx/shapes.h"
#include "nn/conf/layers/layer_registry.h"
#include "nn/conf/model_outputs.h"

namespace dl::inference {
namespace {

std::string WriteProductOf(const OnnxLayer& layer, bool bias) {
  return WriteProduct(layer, {.x = layer.x(), .prefix = "", .bias = bias});
}

std::string WriteMultiply(const OnnxLayer& layer) {
  std::string product = layer.x();
  for (size_t i = 1; i < layer.inputs.size(); ++i)
    product = layer.Add("Mul", {product, layer.inputs[i]});
  return product;
}

std::string WritePRelu(const OnnxLayer& layer, const nn::PRelu& conf) {
  const std::string slope = conf.shared ? layer.Parameter("slope") : PerChannel(layer, "slope");
  return layer.Add("PRelu", {layer.x(), slope});
}

std::string WriteScaleShift(const OnnxLayer& layer, const nn::ScaleShift& conf) {
  const std::string factor = layer.graph.Scalar(static_cast<float>(conf.factor));
  const std::string shift = layer.graph.Scalar(static_cast<float>(conf.shift));
  return layer.Add("Add", {layer.Add("Mul", {layer.x(), factor}), shift});
}

// Returns the value of a layer without its activation. No default branch: a kind of layer without
// ONNX nodes is a compile error.
std::string WriteWithoutActivation(const OnnxLayer& of) {
  const nn::LayerConfig& layer = of.layer;
  return std::visit<std::string>(
      Overloaded{
          [&](const nn::Dense& conf) { return WriteProductOf(of, conf.bias); },
          [&](const nn::Output& conf) { return WriteProductOf(of, conf.bias); },
          [&](const nn::LossLayer&) { return of.x(); },
          [&](const nn::Conv1D& conf) { return WriteConv1D(of, conf); },
          [&](const nn::Conv2D& conf) { return WriteConv2D(of, conf); },
          [&](const nn::Conv3D& conf) { return WriteConv3D(of, conf); },
          [&](const nn::TransposedConv2D& conf) { return WriteTransposedConv2D(of, conf); },
          [&](const nn::MaxPool1D& conf) { return WriteMaxPool(of, conf.window); },
          [&](const nn::MaxPool2D& conf) { return WriteMaxPool(of, conf.window); },
          [&](const nn::MaxPool3D& conf) { return WriteMaxPool(of, conf.window); },
          [&](const nn::AvgPool1D& conf) {
            return WriteAvgPool(of, conf.window, conf.count_padding);
          },
          [&](const nn::AvgPool2D& conf) {
            return WriteAvgPool(of, conf.window, conf.count_padding);
          },
          [&](const nn::AvgPool3D& conf) {
            return WriteAvgPool(of, conf.window, conf.count_padding);
          },
          [&](const nn::GlobalAvgPool1D&) { return WriteGlobalAvgPool1D(of); },
          [&](const nn::GlobalMaxPool1D&) { return WriteGlobalMaxPool1D(of); },
          [&](const nn::GlobalAvgPool2D&) { return WriteGlobalAvgPool(of); },
          [&](const nn::GlobalAvgPool3D&) { return WriteGlobalAvgPool(of); },
          [&](const nn::AdaptiveAvgPool2D&) { return WriteAdaptiveAvgPool(of); },
          [&](const nn::AdaptiveMaxPool2D&) { return WriteAdaptiveMaxPool(of); },
          [&](const nn::BatchNorm& conf) { return WriteBatchNorm(of, conf); },
          [&](const nn::GroupNorm& conf) { return WriteGroupNorm(of, conf.groups, conf.epsilon); },
          [&](const nn::InstanceNorm& conf) {
            return WriteGroupNorm(of, layer.input.channels, conf.epsilon);
          },
          [&](const nn::LayerNorm& conf) { return WriteLayerNorm(of, conf); },
          [&](const nn::RmsNorm& conf) { return WriteRmsNorm(of, conf); },
          [&](const nn::L2Normalize& conf) { return WriteL2Normalize(of, conf); },
          [&](const nn::LocalResponseNorm& conf) { return WriteLocalResponseNorm(of, conf); },
          [&](const nn::PRelu& conf) { return WritePRelu(of, conf); },
          [&](const nn::ScaleShift& conf) { return WriteScaleShift(of, conf); },
          [&](const nn::ActivationLayer&) { return of.x(); },
          [&](const nn::Dropout&) { return of.x(); },
          [&](const nn::GaussianNoise&) { return of.x(); },
          [&](const nn::GaussianSample&) {  // the means, which are the first half
            return WriteChannels(of, 0, layer.output.channels);
          },
          [&](const nn::Flatten&) { return WriteReshape(of); },
          [&](const nn::Reshape&) { return WriteReshape(of); },
          [&](const nn::Permute& conf) { return WritePermute(of, conf); },
          [&](const nn::Repeat& conf) { return WriteRepeat(of, conf); },
          [&](const nn::Subset& conf) { return WriteChannels(of, conf.from, conf.to + 1); },
          [&](const nn::ZeroPad2D& conf) { return WriteZeroPad(of, conf.edges); },
          [&](const nn::Crop2D& conf) { return WriteCrop(of, conf.edges); },
          [&](const nn::Upsample2D& conf) { return WriteUpsample(of, conf.scale); },
          [&](const nn::LastStep&) { return WriteLastStep(of); },
          [&](const nn::Add&) { return of.Add("Sum", of.inputs); },
          [&](const nn::Multiply&) { return WriteMultiply(of); },
          [&](const nn::Average&) { return of.Add("Mean", of.inputs); },
          [&](const nn::Maximum&) { return of.Add("Max", of.inputs); },
          [&](const nn::Concat&) { return WriteConcat(of); },
          [&](const nn::Stack&) { return WriteStack(of); },
          [&](const nn::Embedding&) { return WriteEmbedding(of); },
          [&](const nn::PositionalEmbedding&) {
            return of.Add("Add", {of.x(), of.Parameter("weight")});
          },
          [&](const nn::SimpleRnn& conf) { return WriteSimpleRnn(of, conf); },
          [&](const nn::Gru& conf) { return WriteGru(of, conf); },
          [&](const nn::Lstm& conf) { return WriteLstm(of, conf); },
          [&](const nn::SelfAttention& conf) { return WriteSelfAttention(of, conf); },
          [&](const nn::CrossAttention& conf) { return WriteCrossAttention(of, conf); },
      },
      layer.conf);
}

// Returns the predictions of an output whose loss is `loss` (nn::Loss::Predict). No default branch.
std::string WriteLink(const nn::LossConf& loss, const std::string& y, OnnxGraph& graph) {
  const auto softmax = [&] { return WriteActivation(nn::Softmax(), y, graph); };
  return std::visit<std::string>(
      Overloaded{
          [&](const nn::SoftmaxCrossEntropy&) { return softmax(); },
          [&](const nn::Focal&) { return softmax(); },
          [&](const nn::KlDivergence&) { return softmax(); },
          [&](const nn::Ctc&) { return softmax(); },
          [&](const nn::BinaryCrossEntropy&) { return WriteActivation(nn::Sigmoid(), y, graph); },
          [&](const nn::Poisson&) { return graph.Add({.op = "Exp", .inputs = {y}}); },
          [&](const nn::MeanSquaredError&) { return y; },
          [&](const nn::MeanAbsoluteError&) { return y; },
          [&](const nn::Huber&) { return y; },
          [&](const nn::Hinge&) { return y; },
          [&](const nn::SquaredHinge&) { return y; },
          [&](const nn::Cosine&) { return y; },
          [&](const nn::Triplet&) { return y; },
      },
      loss);
}

}  // namespace

std::vector<std::string> WriteLayers(const nn::ModelConfig& model, const OnnxModelInputs& inputs,
                                     OnnxGraph& graph) {
  OnnxLengths lengths(graph, inputs.lengths);
  std::vector<std::string> values;  // of the layers
  for (const nn::LayerConfig& layer : model.layers) {
    graph.SetScope(layer.name);
    OnnxLayer of{.model = model, .layer = layer, .inputs = {}, .graph = graph, .lengths = lengths};
    for (const int read : layer.reads)
      of.inputs.push_back(nn::IsInput(read) ? inputs.values[nn::InputIndex(read)] : values[read]);
    const std::string value = WriteWithoutActivation(of);
    // The cells of a simple network contain its activation.
    const bool is_applied = std::holds_alternative<nn::SimpleRnn>(layer.conf);
    values.push_back(is_applied ? value
                                : WriteActivation(nn::ActivationOf(layer.conf), value, graph));
  }
  std::vector<std::string> predictions;
  for (const nn::ModelOutput& output : nn::OutputsOf(model)) {
    graph.SetScope(output.name);
    predictions.push_back(WriteLink(output.conf.loss, values[output.layer], graph));
  }
  return predictions;
}

}  // namespace dl::inference
