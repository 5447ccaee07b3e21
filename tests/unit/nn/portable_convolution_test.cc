// The portable kernels of convolutions: nn/backend/own/own_convolution.h. Each is compared, bit for
// bit, with its definition in single fused operations.
#include <cmath>
#include <cstring>
#include <functional>
#include <map>

#include "absl/strings/str_cat.h"
#include "base/float_buffer.h"
#include "base/philox.h"
#include "gtest/gtest.h"
#include "nn/backend/compute_scope.h"
#include "nn/backend/deconvolution.h"
#include "nn/backend/own/own_convolution.h"
#include "nn/backend/parallel_for.h"
#include "tests/support/status_matchers.h"

namespace dl::nn::portable_convolution {
namespace {

using Axes = WindowGeometry::Axes;
using Values = std::vector<float>;

Values RandomValues(int64_t count, uint64_t seed) {
  RandomStream random({.seed = seed, .purpose = RandomPurpose::kForTests});
  Values values(count);
  for (float& v : values) v = static_cast<float>(random.NextDouble() * 2 - 1);
  return values;
}

int64_t Product(const Axes& axes) {
  int64_t product = 1;
  for (const int64_t size : axes) product *= size;
  return product;
}

// Returns the index along each axis of a row-major array.
Axes IndexOf(int64_t i, const Axes& sizes) {
  Axes index(sizes.size());
  for (size_t axis = sizes.size(); axis-- > 0; i /= sizes[axis]) index[axis] = i % sizes[axis];
  return index;
}

// A sum in the order of portable products: chains of fused operations for blocks of 256 indices.
class BlockedSum {
 public:
  void Add(int64_t index, float a, float b) {
    if (index / 256 != block_) EndBlock();
    block_ = index / 256;
    sum_ = std::fma(a, b, sum_);
    has_terms_ = true;
  }
  float Total() {
    EndBlock();
    return total_;
  }

 private:
  void EndBlock() {
    if (has_terms_) total_ = has_blocks_ ? total_ + sum_ : sum_;
    has_blocks_ |= has_terms_;
    has_terms_ = false;
    sum_ = 0;
  }

  int64_t block_ = 0;
  float sum_ = 0, total_ = 0;
  bool has_terms_ = false, has_blocks_ = false;
};

// A convolution with tensors in canonical order. The weight of output channel o, channel c of its
// group and a tap is weight(o, c, tap).
struct Case {
  std::string name;
  ConvolutionGeometry g;

  int64_t in() const { return Product(g.window.in); }
  int64_t out() const { return Product(g.window.out); }
  int64_t taps() const { return Product(g.window.kernel); }
  int64_t in_of_group() const { return g.in_channels / g.groups; }
  int64_t out_of_group() const { return g.out_channels / g.groups; }

  // Calls visit(output pixel, input pixel) for all pairs that meet at the tap, outputs ascending.
  void ForEachPair(int64_t tap, const std::function<void(int64_t, int64_t)>& visit) const {
    const WindowGeometry& w = g.window;
    const Axes t = IndexOf(tap, w.kernel);
    for (int64_t o = 0; o < out(); ++o) {
      const Axes at = IndexOf(o, w.out);
      int64_t input = 0;
      bool is_inside = true;
      for (size_t i = 0; i < at.size(); ++i) {
        const int64_t x = at[i] * w.stride[i] + t[i] * w.dilation[i] - w.pad_before[i];
        is_inside = is_inside && x >= 0 && x < w.in[i];
        input = input * w.in[i] + x;
      }
      if (is_inside) visit(o, input);
    }
  }
};

using Weight = std::function<float(int64_t o, int64_t c, int64_t tap)>;

// Returns y of a convolution, or with `to_inputs` x from y.
Values GatherOf(const Case& c, const Values& source, const Weight& weight, const Values* bias,
                bool to_inputs) {
  const int64_t ig = c.in_of_group(), og = c.out_of_group();
  const int64_t inner = to_inputs ? og : ig, columns = to_inputs ? ig : og;
  const int64_t source_pixels = to_inputs ? c.out() : c.in();
  const int64_t result_pixels = to_inputs ? c.in() : c.out();
  const int64_t channels = to_inputs ? c.g.in_channels : c.g.out_channels;
  Values result;
  std::vector<std::vector<std::pair<int64_t, int64_t>>> met(result_pixels);  // tap, source pixel
  for (int64_t tap = 0; tap < c.taps(); ++tap) {
    c.ForEachPair(tap, [&](int64_t out, int64_t in) {
      met[to_inputs ? in : out].push_back({tap, to_inputs ? out : in});
    });
  }
  for (int64_t n = 0; n < c.g.batch; ++n) {
    for (int64_t j = 0; j < channels; ++j) {
      const int64_t group = j / columns;
      for (int64_t pixel = 0; pixel < result_pixels; ++pixel) {
        BlockedSum sum;
        for (const auto& [tap, at] : met[pixel]) {
          for (int64_t k = 0; k < inner; ++k) {
            const float w =
                to_inputs ? weight(group * og + k, j % columns, tap) : weight(j, k, tap);
            const int64_t channel = group * inner + k;
            sum.Add(tap * inner + k,
                    source[(n * c.g.groups * inner + channel) * source_pixels + at], w);
          }
        }
        result.push_back(bias == nullptr ? sum.Total() : sum.Total() + (*bias)[j]);
      }
    }
  }
  return result;
}

// Returns the gradient of the weights, [o][c][tap].
Values WeightGradientOf(const Case& c, const Values& x, const Values& dy) {
  Values result;
  for (int64_t o = 0; o < c.g.out_channels; ++o) {
    for (int64_t i = 0; i < c.in_of_group(); ++i) {
      const int64_t channel = o / c.out_of_group() * c.in_of_group() + i;
      for (int64_t tap = 0; tap < c.taps(); ++tap) {
        BlockedSum sum;
        for (int64_t n = 0; n < c.g.batch; ++n) {
          c.ForEachPair(tap, [&](int64_t out, int64_t in) {
            sum.Add(n * c.out() + out, x[(n * c.g.in_channels + channel) * c.in() + in],
                    dy[(n * c.g.out_channels + o) * c.out() + out]);
          });
        }
        result.push_back(sum.Total());
      }
    }
  }
  return result;
}

// Returns the sums over the pixels of all images, [channel].
Values BiasGradientOf(int64_t batch, int64_t channels, int64_t pixels, const Values& dy) {
  Values result;
  for (int64_t j = 0; j < channels; ++j) {
    float total = 0;
    for (int64_t first = 0; first < batch * pixels; first += 256) {
      float sum = 0;
      for (int64_t p = first; p < std::min(batch * pixels, first + 256); ++p)
        sum += dy[(p / pixels * channels + j) * pixels + p % pixels];
      total += sum;
    }
    result.push_back(total);
  }
  return result;
}

bool SameBits(const Values& a, const Values& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// Returns where each value of the canonical order stands in a layout.
std::vector<int64_t> PlacesOf(const Layout& layout) {
  const Axes dims = layout.dims(), strides = *layout.Strides();
  std::vector<int64_t> places(layout.elements());
  for (int64_t i = 0; i < layout.elements(); ++i) {
    const Axes index = IndexOf(i, dims);
    for (size_t axis = 0; axis < dims.size(); ++axis) places[i] += index[axis] * strides[axis];
  }
  return places;
}

// Runs the primitive on tensors in canonical order and returns `results`, likewise.
std::vector<Values> ResultsOf(const StatusOr<Primitive>& primitive,
                              const std::vector<std::pair<Role, const Values*>>& inputs,
                              const std::vector<Role>& results, int threads) {
  DL_EXPECT_OK(primitive);
  const ComputeScope scope(1);
  const LoopThreads loops(threads, /*least_floats=*/1);
  std::map<Role, FloatBuffer> buffers;
  for (const Role role :
       {Role::kSource, Role::kWeights, Role::kBias, Role::kDestination, Role::kDiffSource,
        Role::kDiffWeights, Role::kDiffBias, Role::kDiffDestination}) {
    const Layout layout = primitive->layout(role);
    if (!layout.empty()) buffers[role] = *FloatBuffer::Create(layout.elements());
  }
  for (const auto& [role, values] : inputs) {
    const std::vector<int64_t> places = PlacesOf(primitive->layout(role));
    EXPECT_EQ(places.size(), values->size());
    for (size_t i = 0; i < places.size(); ++i) buffers[role].data()[places[i]] = (*values)[i];
  }
  const auto data = [&](Role role) {
    return buffers.contains(role) ? buffers[role].data() : nullptr;
  };
  const auto bound = primitive->Bind({{Role::kSource, data(Role::kSource)},
                                      {Role::kWeights, data(Role::kWeights)},
                                      {Role::kBias, data(Role::kBias)},
                                      {Role::kDestination, data(Role::kDestination)},
                                      {Role::kDiffSource, data(Role::kDiffSource)},
                                      {Role::kDiffWeights, data(Role::kDiffWeights)},
                                      {Role::kDiffBias, data(Role::kDiffBias)},
                                      {Role::kDiffDestination, data(Role::kDiffDestination)}});
  DL_EXPECT_OK(bound);
  DL_EXPECT_OK(bound->Run());
  std::vector<Values> all;
  for (const Role role : results) {
    Values& values = all.emplace_back();
    for (const int64_t place : PlacesOf(primitive->layout(role)))
      values.push_back(data(role)[place]);
  }
  return all;
}

ConvolutionGeometry Geometry(int64_t batch, int64_t in_channels, int64_t out_channels,
                             const Axes& in, int64_t kernel, int64_t stride, int64_t pad,
                             int64_t dilation = 1, int64_t groups = 1) {
  ConvolutionGeometry g{.batch = batch,
                        .in_channels = in_channels,
                        .out_channels = out_channels,
                        .groups = groups,
                        .window = {.in = in}};
  for (const int64_t size : in) {
    g.window.kernel.push_back(kernel);
    g.window.stride.push_back(stride);
    g.window.dilation.push_back(dilation);
    g.window.pad_before.push_back(pad);
    g.window.pad_after.push_back(pad);
    g.window.out.push_back((size + 2 * pad - (kernel - 1) * dilation - 1) / stride + 1);
  }
  g.kernels = KernelSet::kPortable;
  return g;
}

std::vector<Case> Cases() {
  return {{"padding", Geometry(3, 3, 20, {7, 9}, 3, 1, 1)},
          {"no padding", Geometry(3, 3, 20, {9, 8}, 3, 2, 0)},
          {"strides and gaps", Geometry(2, 5, 33, {13, 11}, 3, 2, 2, 2)},
          {"single pixels", Geometry(9, 17, 49, {1, 1}, 3, 1, 1)},
          {"only padding", Geometry(2, 4, 8, {1, 1}, 2, 1, 2, 2)},
          {"blocks end in taps", Geometry(2, 100, 70, {4, 5}, 3, 1, 1)},
          {"many channels", Geometry(2, 600, 16, {3, 3}, 1, 1, 0)},
          {"copied rows", Geometry(2, 260, 70, {2, 3}, 3, 1, 1)},
          {"many positions", Geometry(5, 6, 10, {16, 17}, 3, 1, 1)},
          {"unused inputs", Geometry(3, 8, 12, {7, 7}, 1, 2, 0)},
          {"groups", Geometry(3, 12, 30, {6, 7}, 3, 1, 1, 1, 3)},
          {"depthwise", Geometry(3, 37, 37, {9, 8}, 3, 2, 1, 1, 37)},
          {"depthwise with a large kernel", Geometry(2, 19, 19, {20, 20}, 17, 1, 8, 1, 19)},
          {"volumes", Geometry(2, 4, 18, {5, 4, 6}, 3, 2, 1)}};
}

constexpr int kThreads[] = {1, 2, 3, 5};

TEST(PortableConvolution, EqualsItsDefinition) {
  for (const Case& c : Cases()) {
    const Values x = RandomValues(c.g.batch * c.g.in_channels * c.in(), 1);
    const Values dy = RandomValues(c.g.batch * c.g.out_channels * c.out(), 2);
    const Values w = RandomValues(c.g.out_channels * c.in_of_group() * c.taps(), 3);
    const Values b = RandomValues(c.g.out_channels, 4);
    const Weight weight = [&](int64_t o, int64_t i, int64_t tap) {
      return w[(o * c.in_of_group() + i) * c.taps() + tap];
    };
    const Values y = GatherOf(c, x, weight, &b, false), dx = GatherOf(c, dy, weight, nullptr, true);
    const Values dw = WeightGradientOf(c, x, dy);
    const Values db = BiasGradientOf(c.g.batch, c.g.out_channels, c.out(), dy);
    for (const int threads : kThreads) {
      SCOPED_TRACE(absl::StrCat(c.name, ", threads ", threads));
      EXPECT_TRUE(SameBits(ResultsOf(ConvolutionForward(c.g, Layout()),
                                     {{Role::kSource, &x}, {Role::kWeights, &w}, {Role::kBias, &b}},
                                     {Role::kDestination}, threads)[0],
                           y));
      EXPECT_TRUE(SameBits(ResultsOf(ConvolutionBackwardData(c.g, Layout()),
                                     {{Role::kDiffDestination, &dy}, {Role::kWeights, &w}},
                                     {Role::kDiffSource}, threads)[0],
                           dx));
      const std::vector<Values> gradients =
          ResultsOf(ConvolutionBackwardWeights(c.g, Layout(), Layout()),
                    {{Role::kSource, &x}, {Role::kDiffDestination, &dy}},
                    {Role::kDiffWeights, Role::kDiffBias}, threads);
      EXPECT_TRUE(SameBits(gradients[0], dw));
      EXPECT_TRUE(SameBits(gradients[1], db));
    }
  }
}

// A transposed convolution is the gradient of a convolution from its output to its input.
TEST(PortableConvolution, TransposedEqualsItsDefinition) {
  for (const Case& c : Cases()) {
    ConvolutionGeometry g = c.g;
    std::swap(g.in_channels, g.out_channels);
    std::swap(g.window.in, g.window.out);
    const Values x = RandomValues(c.g.batch * c.g.out_channels * c.out(), 1);
    const Values dy = RandomValues(c.g.batch * c.g.in_channels * c.in(), 2);
    const Values w = RandomValues(c.g.in_channels * c.out_of_group() * c.taps(), 3);
    const Values b = RandomValues(c.g.in_channels, 4);
    // o is an output channel of the convolution, i a channel of its group.
    const Weight weight = [&](int64_t o, int64_t i, int64_t tap) {
      const int64_t out = o / c.out_of_group() * c.in_of_group() + i;
      return w[(out * c.out_of_group() + o % c.out_of_group()) * c.taps() + tap];
    };
    const Values y = GatherOf(c, x, weight, &b, true), dx = GatherOf(c, dy, weight, nullptr, false);
    const Values by_out = WeightGradientOf(c, dy, x);
    const Values db = BiasGradientOf(c.g.batch, c.g.in_channels, c.in(), dy);
    Values dw(by_out.size());
    for (int64_t o = 0; o < c.g.out_channels; ++o) {
      for (int64_t i = 0; i < c.in_of_group(); ++i) {
        const int64_t out = o / c.out_of_group() * c.in_of_group() + i;
        for (int64_t tap = 0; tap < c.taps(); ++tap)
          dw[(out * c.out_of_group() + o % c.out_of_group()) * c.taps() + tap] =
              by_out[(o * c.in_of_group() + i) * c.taps() + tap];
      }
    }
    for (const int threads : kThreads) {
      SCOPED_TRACE(absl::StrCat(c.name, ", threads ", threads));
      EXPECT_TRUE(SameBits(ResultsOf(DeconvolutionForward(g, Layout()),
                                     {{Role::kSource, &x}, {Role::kWeights, &w}, {Role::kBias, &b}},
                                     {Role::kDestination}, threads)[0],
                           y));
      EXPECT_TRUE(SameBits(ResultsOf(DeconvolutionBackwardData(g, Layout()),
                                     {{Role::kDiffDestination, &dy}, {Role::kWeights, &w}},
                                     {Role::kDiffSource}, threads)[0],
                           dx));
      const std::vector<Values> gradients =
          ResultsOf(DeconvolutionBackwardWeights(g, Layout(), Layout()),
                    {{Role::kSource, &x}, {Role::kDiffDestination, &dy}},
                    {Role::kDiffWeights, Role::kDiffBias}, threads);
      EXPECT_TRUE(SameBits(gradients[0], dw));
      EXPECT_TRUE(SameBits(gradients[1], db));
    }
  }
}

}  // namespace
}  // namespace dl::nn::portable_convolution
