#include "inference/onnx/products.h"

#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "inference/onnx/window_attributes.h"

namespace dl::inference {
namespace {

std::string Named(std::string_view prefix, std::string_view name) {
  return absl::StrCat(std::string(prefix), std::string(name));
}

// Returns {x, weight, bias}, or {x, weight} for a layer without a bias.
std::vector<std::string> Operands(const OnnxLayer& layer, std::string x, bool bias) {
  std::vector<std::string> operands = {std::move(x), layer.Parameter("weight")};
  if (bias) operands.push_back(layer.Parameter("bias"));
  return operands;
}

template <typename Conf>
std::string WriteConvolution(const OnnxLayer& layer, const Conf& conf) {
  OnnxAttributes attributes = WindowAttributes(conf.window, layer.layer.input);
  attributes.push_back({"dilations", ListOf(conf.window.dilation)});
  attributes.push_back({"group", conf.groups});
  return layer.Add("Conv", Operands(layer, layer.x(), conf.bias), std::move(attributes));
}

}  // namespace

std::string WriteProduct(const OnnxLayer& layer, const OnnxProduct& product) {
  const std::string weight = layer.Parameter(Named(product.prefix, "weight"));
  const std::string bias = product.bias ? layer.Parameter(Named(product.prefix, "bias")) : "";
  if (!layer.layer.input.IsSequence()) {
    std::vector<std::string> operands = {product.x, weight};
    if (product.bias) operands.push_back(bias);
    return layer.Add("Gemm", std::move(operands), {{"transB", int64_t{1}}});
  }
  const std::string turned =
      layer.Add("Transpose", {weight}, {{"perm", std::vector<int64_t>{1, 0}}});
  const std::string products = layer.Add("MatMul", {product.x, turned});
  return product.bias ? layer.Add("Add", {products, bias}) : products;
}

std::string WriteConv1D(const OnnxLayer& layer, const nn::Conv1D& conf) {
  std::string x = layer.x();
  // The steps after the end of an example count as zeros.
  if (layer.layer.input.variable_length)
    x = layer.Add("Where", {layer.lengths.MaskOf(layer.layer.input), x, layer.graph.Scalar(0)});
  OnnxAttributes attributes = WindowAttributes(conf.window, layer.layer.input, conf.StepsInFront());
  attributes.push_back({"dilations", std::vector<int64_t>{conf.window.dilation.steps}});
  attributes.push_back({"group", conf.groups});
  const OnnxAttributes turn = {{"perm", std::vector<int64_t>{0, 2, 1}}};
  const std::string channels_first = layer.Add("Transpose", {x}, turn);
  // The weights are [filters, features / groups, kernel] already.
  const std::string y =
      layer.Add("Conv", Operands(layer, channels_first, conf.bias), std::move(attributes));
  return layer.Add("Transpose", {y}, turn);
}

std::string WriteConv2D(const OnnxLayer& layer, const nn::Conv2D& conf) {
  return WriteConvolution(layer, conf);
}

std::string WriteConv3D(const OnnxLayer& layer, const nn::Conv3D& conf) {
  return WriteConvolution(layer, conf);
}

std::string WriteTransposedConv2D(const OnnxLayer& layer, const nn::TransposedConv2D& conf) {
  const int64_t channels = layer.layer.input.channels, filters = conf.filters;
  const nn::Extent2D& kernel = conf.window.kernel;
  std::string weight = layer.Parameter("weight");
  const auto reshape = [&](std::vector<int64_t> shape) {
    weight = layer.Add("Reshape", {weight, layer.graph.Integers(std::move(shape))});
  };
  // ONNX has [channels, filters / groups, ...]; here it is [filters, channels / groups, ...].
  reshape(
      {conf.groups, filters / conf.groups, channels / conf.groups, kernel.height, kernel.width});
  weight = layer.Add("Transpose", {weight}, {{"perm", std::vector<int64_t>{0, 2, 1, 3, 4}}});
  reshape({channels, filters / conf.groups, kernel.height, kernel.width});
  // The window slides over the output.
  const nn::InputType& output = layer.layer.output;
  OnnxAttributes attributes = WindowAttributes(conf.window, output);
  attributes.push_back({"dilations", ListOf(conf.window.dilation)});
  attributes.push_back({"group", conf.groups});
  // The last rows and columns of the output may lie outside of all windows.
  const auto borders = conf.window.BordersOf(output);
  const auto missing = [](int64_t in, int64_t stride, int64_t reach, int64_t pads, int64_t out) {
    return out - ((in - 1) * stride + reach - pads);
  };
  const nn::Extent2D pads = nn::EachAxis(std::plus<>(), borders.before, borders.after);
  attributes.push_back(
      {"output_padding",
       ListOf(nn::EachAxis(missing, nn::Extent2D::Of(layer.layer.input), conf.window.stride,
                           conf.window.Reach(), pads, nn::Extent2D::Of(output)))});
  std::vector<std::string> operands = {layer.x(), weight};
  if (conf.bias) operands.push_back(layer.Parameter("bias"));
  return layer.Add("ConvTranspose", std::move(operands), std::move(attributes));
}

}  // namespace dl::inference
