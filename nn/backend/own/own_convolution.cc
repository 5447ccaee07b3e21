#include "nn/backend/own/own_convolution.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nn/backend/blocked_layouts.h"
#include "nn/backend/own/own_kernel.h"
#include "nn/backend/own/portable_lanes.h"
#include "nn/backend/parallel_for.h"
#include "nn/kernels/product/depthwise.h"
#include "nn/kernels/product/windows.h"

namespace dl::nn {
namespace {

// A convolution of `inputs` to `outputs`. A transposed convolution exchanges both: its weights are
// those of the convolution that it transposes.
struct Convolution {
  int64_t batch = 1, groups = 1;
  int64_t in_channels = 1, out_channels = 1;
  WindowAxes axes;
  Layout inputs, outputs, weights, bias;
  bool has_bias = false;
  std::string name;
  int lanes = 8;
  bool is_blocked = false;  // channels are in blocks of `lanes`

  int64_t InOfGroup() const { return in_channels / groups; }
  int64_t OutOfGroup() const { return out_channels / groups; }
  bool IsDepthwise() const { return groups == in_channels && groups == out_channels; }
  // Contiguous values of a pixel.
  int64_t InOfPixel() const { return is_blocked ? lanes : in_channels; }
  int64_t OutOfPixel() const { return is_blocked ? lanes : out_channels; }
  int64_t InBlock() const { return is_blocked ? InputsOf(axes) * lanes : 0; }
  int64_t OutBlock() const { return is_blocked ? OutputsOf(axes) * lanes : 0; }
  int64_t Floats() const {  // that are multiplied, as ParallelFor counts them
    return batch * OutputsOf(axes) * TapsOf(axes) * InOfGroup() * out_channels / lanes;
  }
};

WindowAxes AxesOf(const WindowGeometry& window) {
  WindowAxes axes;
  const size_t given = window.in.size(), missing = axes.size() - given;
  for (size_t i = 0; i < given; ++i) {
    axes[missing + i] = {.in = window.in[i],
                         .out = window.out[i],
                         .kernel = window.kernel[i],
                         .stride = window.stride[i],
                         .dilation = window.dilation[i],
                         .pad = window.pad_before[i]};
  }
  return axes;
}

Layout ImagesOf(int64_t batch, int64_t channels, const WindowGeometry::Axes& axes) {
  std::vector<int64_t> dims = {batch, channels};
  dims.insert(dims.end(), axes.begin(), axes.end());
  return Layout::ChannelsLast(dims);
}

// Weights in memory as [taps][in / groups][out], for canonical dimensions [out, in, kernel...] or
// [groups, out / groups, in / groups, kernel...]. `is_transposed`: the dimensions of out and in are
// exchanged.
Layout WeightsOf(const ConvolutionGeometry& g, bool is_transposed) {
  const std::vector<int64_t> dims = ConvolutionWeightsLayout(g).dims();
  std::vector<int64_t> strides(dims.size());
  const size_t first = g.groups > 1 ? 1 : 0;
  const size_t out = is_transposed ? first + 1 : first, in = is_transposed ? first : first + 1;
  if (g.groups > 1) strides[0] = dims[out];
  strides[out] = 1;
  strides[in] = dims[out] * g.groups;
  int64_t stride = strides[in] * dims[in];
  for (size_t i = dims.size(); i-- > first + 2; stride *= dims[i]) strides[i] = stride;
  return Layout::Strided(dims, strides);
}

StatusOr<Convolution> ConvolutionOf(const ConvolutionGeometry& g) {
  DL_ASSIGN_OR_RETURN(const int lanes, PortableLanes());
  return Convolution{.batch = g.batch,
                     .groups = g.groups,
                     .in_channels = g.in_channels,
                     .out_channels = g.out_channels,
                     .axes = AxesOf(g.window),
                     .inputs = ImagesOf(g.batch, g.in_channels, g.window.in),
                     .outputs = ImagesOf(g.batch, g.out_channels, g.window.out),
                     .weights = WeightsOf(g, false),
                     .bias = Layout::Plain({&g.out_channels, 1}),
                     .has_bias = g.has_bias,
                     .name = "convolution",
                     .lanes = lanes};
}

int LanesOf(Isa isa) { return isa == Isa::kAvx2 ? 8 : 16; }

Convolution BlockedOf(const ConvolutionGeometry& g, Isa isa) {
  const int lanes = LanesOf(isa);
  const auto images = [&](int64_t channels, const WindowGeometry::Axes& axes) {
    return BlockedImages(std::vector<int64_t>{g.batch, channels, axes[0], axes[1]}, lanes);
  };
  return Convolution{.batch = g.batch,
                     .in_channels = g.in_channels,
                     .out_channels = g.out_channels,
                     .axes = AxesOf(g.window),
                     .inputs = images(g.in_channels, g.window.in),
                     .outputs = images(g.out_channels, g.window.out),
                     .weights = BlockedWeights(ConvolutionWeightsLayout(g).dims(), lanes),
                     .bias = Layout::Plain({&g.out_channels, 1}),
                     .has_bias = g.has_bias,
                     .name = "blocked_convolution",
                     .lanes = lanes,
                     .is_blocked = true};
}

// Returns the convolution from the output to the input of a transposed convolution.
StatusOr<Convolution> TransposedOf(const ConvolutionGeometry& g) {
  DL_ASSIGN_OR_RETURN(Convolution c, ConvolutionOf(g));
  std::swap(c.in_channels, c.out_channels);
  std::swap(c.inputs, c.outputs);
  for (WindowAxis& axis : c.axes) std::swap(axis.in, axis.out);
  c.weights = WeightsOf(g, true);
  c.name = "transposed_convolution";
  return c;
}

RowProductGeometry ToOutputs(const Convolution& c) {
  return {
      .images = c.batch,
      .source_image = InputsOf(c.axes) * c.in_channels,
      .result_image = OutputsOf(c.axes) * c.out_channels,
      .classes = RowClassesOf(c.axes, WindowDirection::kToOutputs, c.InOfPixel(), c.OutOfPixel()),
      .taps = TapsOf(c.axes),
      .inner = c.InOfGroup(),
      .columns = c.OutOfGroup(),
      .groups = c.groups,
      .source_group = c.InOfGroup(),
      .factor_group = c.OutOfGroup(),
      .result_group = c.OutOfGroup(),
      .source_block = c.InBlock(),
      .result_block = c.OutBlock(),
      .order = c.is_blocked ? PanelSource::Order::kSquaresAcross : PanelSource::Order::kAcross,
      .factor_stride = c.out_channels,
      .lanes = c.lanes};
}

RowProductGeometry ToInputs(const Convolution& c) {
  return {
      .images = c.batch,
      .source_image = OutputsOf(c.axes) * c.out_channels,
      .result_image = InputsOf(c.axes) * c.in_channels,
      .classes = RowClassesOf(c.axes, WindowDirection::kToInputs, c.OutOfPixel(), c.InOfPixel()),
      .taps = TapsOf(c.axes),
      .inner = c.OutOfGroup(),
      .columns = c.InOfGroup(),
      .groups = c.groups,
      .source_group = c.OutOfGroup(),
      .factor_group = c.OutOfGroup(),
      .result_group = c.InOfGroup(),
      .source_block = c.OutBlock(),
      .result_block = c.InBlock(),
      .order = c.is_blocked ? PanelSource::Order::kSquaresAlong : PanelSource::Order::kAlong,
      .factor_stride = c.out_channels,
      .lanes = c.lanes};
}

// The roles of a product's tensors.
struct ProductRoles {
  Role source, result;
};

Primitive DepthwisePrimitive(const Convolution& c, const RowProductGeometry& geometry,
                             const ProductRoles& roles, Kernel::Layouts layouts) {
  const auto product = std::make_shared<const DepthwiseProduct>(
      DepthwiseGeometry{.images = geometry.images,
                        .channels = geometry.groups,
                        .source_image = geometry.source_image,
                        .result_image = geometry.result_image,
                        .classes = geometry.classes,
                        .lanes = geometry.lanes});
  return OwnPrimitive(c.name, std::move(layouts),
                      [product, roles, images = c.batch,
                       floats = c.Floats() / c.batch + 1](const BufferPointers& buffers) {
                        const DepthwiseProduct::Buffers b{
                            .source = buffers.Get<const float>(roles.source),
                            .factor = buffers.Get<const float>(Role::kWeights),
                            .bias = buffers.Get<const float>(Role::kBias),
                            .result = buffers.Get<float>(roles.result)};
                        ForRows(images, floats, [&](int64_t begin, int64_t end) {
                          product->ComputeImages(b, {begin, end});
                        });
                      });
}

Primitive RowsPrimitive(const Convolution& c, RowProductGeometry geometry,
                        const ProductRoles& roles, Kernel::Layouts layouts) {
  if (c.IsDepthwise()) return DepthwisePrimitive(c, geometry, roles, std::move(layouts));
  // Shared by bound kernels.
  const auto product = std::make_shared<const RowProduct>(std::move(geometry));
  return OwnPrimitive(
      c.name, std::move(layouts),
      [product, roles, floats = c.Floats()](const BufferPointers& buffers) {
        const RowProduct::Buffers b{.source = buffers.Get<const float>(roles.source),
                                    .factor = buffers.Get<const float>(Role::kWeights),
                                    .bias = buffers.Get<const float>(Role::kBias),
                                    .result = buffers.Get<float>(roles.result)};
        ForRows(product->units(), floats / product->units() + 1,
                [&](int64_t begin, int64_t end) { product->ComputeUnits(b, begin, end); });
      });
}

// The roles of the convolution's inputs and outputs, or of their gradients.
struct GradientRoles {
  Role inputs, outputs;
  bool bias_of_outputs = true;  // otherwise the bias belongs to the inputs
};

// Returns whether all taps in a row of the kernel meet the image at all outputs, and the values
// under them are contiguous. Then they are the rows of one larger tap.
bool JoinsTaps(const Convolution& c) {
  const WindowAxis& width = c.axes[2];
  return c.groups == 1 && width.dilation == 1 && width.pad == 0 &&
         (width.out - 1) * width.stride + width.kernel <= width.in;
}

PositionProductGeometry ToWeights(const Convolution& c) {
  const int64_t joined = JoinsTaps(c) ? c.axes[2].kernel : 1;
  WindowAxes axes = c.axes;
  axes[2].kernel /= joined;
  return {.images = c.batch,
          .positions = OutputsOf(c.axes),
          .source_image = InputsOf(c.axes) * c.in_channels,
          .source_position = c.axes[2].stride * c.in_channels,
          .taps = TapRowsOf(axes, c.in_channels),
          .rows = joined * c.InOfGroup(),
          .columns = c.OutOfGroup(),
          .gradient_position = c.out_channels,
          .result_tap = joined * c.InOfGroup() * c.out_channels,
          .result_row = c.out_channels,
          .groups = c.groups,
          .source_group = c.InOfGroup(),
          .gradient_group = c.OutOfGroup(),
          .result_group = c.OutOfGroup(),
          .lanes = c.lanes};
}

// Computes the gradient of the weights on the threads of the job.
class WeightsKernel {
 public:
  // REQUIRES: PositionProduct::Supports(ToWeights(c)).
  explicit WeightsKernel(const Convolution& c)
      : depthwise_(c.IsDepthwise()), floats_(c.Floats()), geometry_(ToWeights(c)) {
    if (depthwise_) {
      geometry_.groups = 1;
      geometry_.columns = c.out_channels;
    } else {
      product_.emplace(geometry_);
    }
  }
  void Run(const PositionProduct::Buffers& b) const {
    const int64_t units =
        depthwise_ ? static_cast<int64_t>(geometry_.taps.size()) : product_->units();
    ForRows(units, floats_ / units + 1, [&](int64_t begin, int64_t end) {
      if (depthwise_) {
        ComputeDepthwiseGradient(geometry_, b, {begin, end});
      } else {
        product_->ComputeUnits(b, begin, end);
      }
    });
  }

 private:
  bool depthwise_;
  int64_t floats_;
  PositionProductGeometry geometry_;
  std::optional<PositionProduct> product_;
};

StatusOr<Primitive> WeightsPrimitive(const Convolution& c, const GradientRoles& roles) {
  if (!PositionProduct::Supports(ToWeights(c))) {
    return FailedPrecondition({.message = "the portable kernels lack a convolution of this size",
                               .where = "kernels",
                               .remedy = "Use native kernels."});
  }
  const auto kernel = std::make_shared<const WeightsKernel>(c);  // shared by bound kernels
  Kernel::Layouts layouts = {
      {roles.inputs, c.inputs}, {roles.outputs, c.outputs}, {Role::kDiffWeights, c.weights}};
  if (c.has_bias) layouts.emplace(Role::kDiffBias, c.bias);
  const int64_t channels = roles.bias_of_outputs ? c.out_channels : c.in_channels;
  const int64_t positions =
      c.batch * (roles.bias_of_outputs ? OutputsOf(c.axes) : InputsOf(c.axes));
  const Role of_bias = roles.bias_of_outputs ? roles.outputs : roles.inputs;
  return OwnPrimitive(
      c.name, std::move(layouts),
      [kernel, roles, of_bias, channels, positions](const BufferPointers& buffers) {
        kernel->Run({.source = buffers.Get<const float>(roles.inputs),
                     .gradient = buffers.Get<const float>(roles.outputs),
                     .result = buffers.Get<float>(Role::kDiffWeights)});
        auto* const bias = buffers.Get<float>(Role::kDiffBias);
        if (bias == nullptr) return;
        ForColumns(channels, positions, [&](int64_t begin, int64_t end) {
          SumPositions(buffers.Get<const float>(of_bias), positions, channels, {begin, end}, bias);
        });
      });
}

Primitive Forward(const Convolution& c) {
  Kernel::Layouts layouts = {
      {Role::kSource, c.inputs}, {Role::kWeights, c.weights}, {Role::kDestination, c.outputs}};
  if (c.has_bias) layouts.emplace(Role::kBias, c.bias);
  return RowsPrimitive(c, ToOutputs(c), {Role::kSource, Role::kDestination}, std::move(layouts));
}

Primitive BackwardData(const Convolution& c) {
  return RowsPrimitive(c, ToInputs(c), {Role::kDiffDestination, Role::kDiffSource},
                       {{Role::kDiffSource, c.inputs},
                        {Role::kWeights, c.weights},
                        {Role::kDiffDestination, c.outputs}});
}

}  // namespace

StatusOr<Primitive> OwnConvolutionForward(const ConvolutionGeometry& g) {
  DL_ASSIGN_OR_RETURN(const Convolution c, ConvolutionOf(g));
  return Forward(c);
}

StatusOr<Primitive> OwnConvolutionBackwardData(const ConvolutionGeometry& g) {
  DL_ASSIGN_OR_RETURN(const Convolution c, ConvolutionOf(g));
  return BackwardData(c);
}

bool CanComputeBlockedConvolution(const ConvolutionGeometry& g, Isa isa) {
  const int lanes = LanesOf(isa);
  return g.window.in.size() == 2 && g.groups == 1 && g.in_channels % lanes == 0 &&
         g.out_channels % lanes == 0;
}

Primitive OwnBlockedConvolutionForward(const ConvolutionGeometry& g, Isa isa) {
  return Forward(BlockedOf(g, isa));
}

Primitive OwnBlockedConvolutionBackwardData(const ConvolutionGeometry& g, Isa isa) {
  return BackwardData(BlockedOf(g, isa));
}

StatusOr<Primitive> OwnConvolutionBackwardWeights(const ConvolutionGeometry& g) {
  DL_ASSIGN_OR_RETURN(const Convolution c, ConvolutionOf(g));
  return WeightsPrimitive(c, {.inputs = Role::kSource, .outputs = Role::kDiffDestination});
}

StatusOr<Primitive> OwnDeconvolutionForward(const ConvolutionGeometry& g) {
  DL_ASSIGN_OR_RETURN(const Convolution c, TransposedOf(g));
  Kernel::Layouts layouts = {
      {Role::kSource, c.outputs}, {Role::kWeights, c.weights}, {Role::kDestination, c.inputs}};
  if (c.has_bias) layouts.emplace(Role::kBias, c.bias);
  return RowsPrimitive(c, ToInputs(c), {Role::kSource, Role::kDestination}, std::move(layouts));
}

StatusOr<Primitive> OwnDeconvolutionBackwardData(const ConvolutionGeometry& g) {
  DL_ASSIGN_OR_RETURN(const Convolution c, TransposedOf(g));
  return RowsPrimitive(c, ToOutputs(c), {Role::kDiffDestination, Role::kDiffSource},
                       {{Role::kDiffSource, c.outputs},
                        {Role::kWeights, c.weights},
                        {Role::kDiffDestination, c.inputs}});
}

StatusOr<Primitive> OwnDeconvolutionBackwardWeights(const ConvolutionGeometry& g) {
  DL_ASSIGN_OR_RETURN(const Convolution c, TransposedOf(g));
  return WeightsPrimitive(
      c, {.inputs = Role::kDiffDestination, .outputs = Role::kSource, .bias_of_outputs = false});
}

}  // namespace dl::nn
