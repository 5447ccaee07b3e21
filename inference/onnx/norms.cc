#include "inference/onnx/norms.h"

namespace dl::inference {
namespace {

const OnnxAttributes kLastAxis = {{"axes", std::vector<int64_t>{-1}}};

// Returns x / sqrt(squares + epsilon).
std::string DividedByRoot(const OnnxLayer& layer, const std::string& x, const std::string& squares,
                          double epsilon) {
  const std::string sum =
      layer.Add("Add", {squares, layer.graph.Scalar(static_cast<float>(epsilon))});
  return layer.Add("Div", {x, layer.Add("Sqrt", {sum})});
}

std::string Scaled(const OnnxLayer& layer, const std::string& x) {
  return layer.Add("Add",
                   {layer.Add("Mul", {x, PerChannel(layer, "gamma")}), PerChannel(layer, "beta")});
}

}  // namespace

std::string PerChannel(const OnnxLayer& layer, std::string_view parameter) {
  const std::string name = layer.Parameter(parameter);
  if (!layer.layer.input.IsSpatial()) return name;
  const std::vector<int64_t> axes =
      layer.layer.input.IsVolume() ? std::vector<int64_t>{1, 2, 3} : std::vector<int64_t>{1, 2};
  return layer.Add("Unsqueeze", {name, layer.graph.Integers(axes)});
}

std::string WriteBatchNorm(const OnnxLayer& layer, const nn::BatchNorm& conf) {
  if (layer.layer.input.IsSequence()) {
    const std::string centered = layer.Add("Sub", {layer.x(), PerChannel(layer, "mean")});
    return Scaled(layer,
                  DividedByRoot(layer, centered, PerChannel(layer, "variance"), conf.epsilon));
  }
  return layer.Add("BatchNormalization",
                   {layer.x(), layer.Parameter("gamma"), layer.Parameter("beta"),
                    layer.Parameter("mean"), layer.Parameter("variance")},
                   {{"epsilon", static_cast<float>(conf.epsilon)}});
}

std::string WriteGroupNorm(const OnnxLayer& layer, int64_t groups, double epsilon) {
  const nn::InputType& input = layer.layer.input;
  const std::string x = layer.Reshape(layer.x(), {groups, input.Elements() / groups});
  const std::string centered = layer.Add("Sub", {x, layer.Add("ReduceMean", {x}, kLastAxis)});
  const std::string variance =
      layer.Add("ReduceMean", {layer.Add("Mul", {centered, centered})}, kLastAxis);
  const std::string normalized = DividedByRoot(layer, centered, variance, epsilon);
  return Scaled(layer, layer.Reshape(normalized, input.Shape()));
}

std::string WriteLayerNorm(const OnnxLayer& layer, const nn::LayerNorm& conf) {
  return layer.Add("LayerNormalization",
                   {layer.x(), layer.Parameter("gamma"), layer.Parameter("beta")},
                   {{"axis", int64_t{-1}}, {"epsilon", static_cast<float>(conf.epsilon)}});
}

std::string WriteRmsNorm(const OnnxLayer& layer, const nn::RmsNorm& conf) {
  const std::string squares = layer.Add("Mul", {layer.x(), layer.x()});
  const std::string mean = layer.Add("ReduceMean", {squares}, kLastAxis);
  return layer.Add("Mul",
                   {DividedByRoot(layer, layer.x(), mean, conf.epsilon), layer.Parameter("gamma")});
}

std::string WriteL2Normalize(const OnnxLayer& layer, const nn::L2Normalize& conf) {
  const std::string squares = layer.Add("Mul", {layer.x(), layer.x()});
  const std::string sum = layer.Add("ReduceSum", {squares, layer.graph.Integers({-1})});
  return DividedByRoot(layer, layer.x(), sum, conf.epsilon);
}

std::string WriteLocalResponseNorm(const OnnxLayer& layer, const nn::LocalResponseNorm& conf) {
  // ONNX divides the sum of squares by the size.
  const double alpha = conf.alpha * static_cast<double>(conf.size);
  return layer.Add("LRN", {layer.x()},
                   {{"size", conf.size},
                    {"alpha", static_cast<float>(alpha)},
                    {"beta", static_cast<float>(conf.beta)},
                    {"bias", static_cast<float>(conf.k)}});
}

}  // namespace dl::inference
