#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "base/float_buffer.h"
#include "base/philox.h"
#include "nn/backend/compute_scope.h"
#include "nn/backend/onednn/onednn.h"
#include "nn/backend/onednn/onednn_pooling.h"
#include "nn/backend/own/own_pooling.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/nn/pooling_reference.h"

namespace dl::nn {
namespace {

using Tag = dnnl::memory::format_tag;

struct Case {
  std::string name;
  PoolingKind kind;
  WindowGeometry::Axes in, kernel, stride, pad_before, pad_after;
  int64_t channels = 20, batch = 2;

  PoolingGeometry Geometry() const {
    PoolingGeometry g{.kind = kind, .batch = batch, .channels = channels};
    g.window = {.in = in,
                .out = {},
                .kernel = kernel,
                .stride = stride,
                .dilation = WindowGeometry::Axes(in.size(), 1),
                .pad_before = pad_before,
                .pad_after = pad_after};
    for (size_t i = 0; i < in.size(); ++i)
      g.window.out.push_back((in[i] + pad_before[i] + pad_after[i] - kernel[i]) / stride[i] + 1);
    return g;
  }
};

// Layouts of images or volumes that occur in networks.
std::vector<Layout> Layouts(const PoolingGeometry& g) {
  const dnnl::memory::dims dims = DimsWith({g.batch, g.channels}, g.window.in);
  const std::vector<Tag> tags =
      g.window.in.size() == 2
          ? std::vector<Tag>{Tag::nchw, Tag::nChw8c, Tag::nChw16c, Tag::nhwc}
          : std::vector<Tag>{Tag::ncdhw, Tag::nCdhw8c, Tag::nCdhw16c, Tag::ndhwc};
  std::vector<Layout> layouts;
  for (const Tag tag : tags)
    layouts.push_back(MakeLayout({dims, dnnl::memory::data_type::f32, tag}));
  return layouts;
}

FloatBuffer Zeros(int64_t floats) {
  auto buffer = FloatBuffer::Create(floats);
  DL_EXPECT_OK(buffer);
  return *std::move(buffer);
}

std::vector<float> Converted(const Layout& from, const Layout& to, const float* values) {
  FloatBuffer source = Zeros(from.stored_elements()), result = Zeros(to.stored_elements());
  std::copy_n(values, from.stored_elements(), source.data());
  const auto reorder = Reorder(from, to);
  DL_EXPECT_OK(reorder);
  const auto bound =
      reorder->Bind({{Role::kSource, source.data()}, {Role::kDestination, result.data()}});
  DL_EXPECT_OK(bound);
  DL_EXPECT_OK(bound->Run());
  return {result.data(), result.data() + to.stored_elements()};
}
std::vector<float> Plain(const Layout& layout, const float* values) {
  return Converted(layout, Layout::Plain(layout.dims()), values);
}

// Values with many ties; some are negative zeros or not finite if `special`.
std::vector<float> Values(int64_t count, uint64_t seed, bool special) {
  std::vector<float> values(count);
  RandomStream random({.seed = seed, .purpose = RandomPurpose::kForTests});
  for (float& value : values) {
    value = static_cast<float>(static_cast<int>(random.Bounded(9)) - 4) / 3.0f;
    if (!special) continue;
    switch (random.Bounded(8)) {
      case 0:
        value = std::numeric_limits<float>::quiet_NaN();
        break;
      case 1:
        value = -std::numeric_limits<float>::infinity();
        break;
      case 2:
        value = -0.0f;
        break;
      case 3:
        value = std::numeric_limits<float>::infinity();
        break;
      default:
        break;
    }
  }
  return values;
}

// Bits of values; all NaNs are equal.
std::vector<uint32_t> Bits(const std::vector<float>& values) {
  std::vector<uint32_t> bits;
  for (const float value : values)
    bits.push_back(std::isnan(value) ? 0x7fc00000 : std::bit_cast<uint32_t>(value));
  return bits;
}

// Results of a forward and a backward pass, in the plain layout.
struct Pooled {
  std::vector<float> y, dx;
};

// Runs both passes on `x` and `dy`, which have plain layouts.
Pooled Run(const StatusOr<Primitive>& forward, const StatusOr<Primitive>& backward,
           const std::vector<float>& x, const std::vector<float>& dy) {
  DL_EXPECT_OK(forward);
  DL_EXPECT_OK(backward);
  const Layout source = forward->layout(Role::kSource);
  const Layout result = forward->layout(Role::kDestination);
  EXPECT_EQ(backward->layout(Role::kDiffSource), source);
  EXPECT_EQ(backward->layout(Role::kDiffDestination), result);
  FloatBuffer in = Zeros(source.stored_elements()), out = Zeros(result.stored_elements());
  const std::vector<float> converted = Converted(Layout::Plain(source.dims()), source, x.data());
  std::copy(converted.begin(), converted.end(), in.data());
  FloatBuffer workspace = Zeros(forward->storage_floats(Role::kWorkspace) + 1);
  FloatBuffer scratch = Zeros(1 + std::max(forward->storage_floats(Role::kScratchpad),
                                           backward->storage_floats(Role::kScratchpad)));
  const auto run_forward = forward->Bind({{Role::kSource, in.data()},
                                          {Role::kDestination, out.data()},
                                          {Role::kWorkspace, workspace.data()},
                                          {Role::kScratchpad, scratch.data()}});
  DL_EXPECT_OK(run_forward);
  DL_EXPECT_OK(run_forward->Run());
  Pooled pooled{.y = Plain(result, out.data())};
  const std::vector<float> given = Converted(Layout::Plain(result.dims()), result, dy.data());
  std::copy(given.begin(), given.end(), out.data());
  std::fill_n(in.data(), source.stored_elements(), 7.0f);
  const auto run_backward = backward->Bind({{Role::kDiffSource, in.data()},
                                            {Role::kDiffDestination, out.data()},
                                            {Role::kWorkspace, workspace.data()},
                                            {Role::kScratchpad, scratch.data()}});
  DL_EXPECT_OK(run_backward);
  DL_EXPECT_OK(run_backward->Run());
  pooled.dx = Plain(source, in.data());
  // The padding of blocks stays zero.
  const std::vector<float> stored(in.data(), in.data() + source.stored_elements());
  EXPECT_EQ(Bits(Converted(Layout::Plain(source.dims()), source, pooled.dx.data())), Bits(stored));
  return pooled;
}

Pooled RunOwn(const PoolingGeometry& g, const Layout& source, const std::vector<float>& x,
              const std::vector<float>& dy) {
  EXPECT_TRUE(OwnPoolingCan(g, source));
  return Run(OwnPoolingForward(g, source, PoolingWorkspace::kKept), OwnPoolingBackward(g, source),
             x, dy);
}
Pooled RunOnednn(const PoolingGeometry& g, const Layout& source, const std::vector<float>& x,
                 const std::vector<float>& dy) {
  const auto forward = OnednnPoolingForward(g, source, PoolingWorkspace::kKept);
  DL_EXPECT_OK(forward);
  return Run(forward, OnednnPoolingBackward(g, source, forward->layout(Role::kDestination)), x, dy);
}

Pooled RunReference(const PoolingGeometry& g, const std::vector<float>& x,
                    const std::vector<float>& dy) {
  const PoolingReference reference(g);
  Pooled pooled{.y = std::vector<float>(dy.size()), .dx = std::vector<float>(x.size())};
  for (int64_t plane = 0; plane < g.batch * g.channels; ++plane) {
    const int64_t in = plane * reference.InSize(), out = plane * reference.OutSize();
    reference.Compute(x.data() + in, dy.data() + out, pooled.y.data() + out, pooled.dx.data() + in);
  }
  return pooled;
}

constexpr auto kMax = PoolingKind::kMax;
constexpr auto kInside = PoolingKind::kAverageInside;
constexpr auto kWhole = PoolingKind::kAverageWindow;

// Windows that do not overlap. oneDNN and the project's kernels give equal bits for them.
std::vector<Case> Apart() {
  std::vector<Case> cases;
  for (const PoolingKind kind : {kMax, kInside, kWhole}) {
    cases.push_back({"tiles", kind, {6, 8}, {2, 2}, {2, 2}, {0, 0}, {0, 0}});
    cases.push_back({"rest of image is unused", kind, {7, 9}, {2, 2}, {2, 2}, {0, 0}, {0, 0}});
    cases.push_back({"gaps", kind, {11, 23}, {2, 3}, {3, 4}, {0, 0}, {0, 0}});
    cases.push_back({"padded tiles", kind, {7, 5}, {3, 3}, {3, 3}, {1, 2}, {1, 2}});
    cases.push_back({"one window", kind, {7, 5}, {7, 5}, {7, 5}, {0, 0}, {0, 0}, 35});
    cases.push_back({"volume", kind, {4, 6, 6}, {2, 2, 2}, {2, 2, 2}, {0, 0, 0}, {0, 0, 0}, 9});
    cases.push_back({"slices", kind, {3, 5, 36}, {1, 2, 2}, {1, 2, 2}, {0, 0, 0}, {0, 0, 0}, 16});
  }
  return cases;
}

std::vector<Case> Overlapping() {
  std::vector<Case> cases;
  for (const PoolingKind kind : {kMax, kInside, kWhole}) {
    cases.push_back({"3/2", kind, {13, 15}, {3, 3}, {2, 2}, {0, 0}, {0, 0}});
    cases.push_back({"3/2 padded", kind, {14, 44}, {3, 3}, {2, 2}, {1, 1}, {1, 1}});
    cases.push_back({"3/1 padded", kind, {5, 29}, {3, 3}, {1, 1}, {1, 1}, {1, 1}});
    cases.push_back({"beyond the border", kind, {6, 6}, {3, 2}, {2, 1}, {0, 1}, {1, 1}});
    cases.push_back({"volume", kind, {5, 6, 7}, {3, 2, 3}, {2, 1, 2}, {1, 0, 1}, {1, 1, 1}, 18});
    cases.push_back({"wide", kind, {18, 40}, {17, 17}, {1, 3}, {0, 8}, {0, 8}, 17, 1});
  }
  return cases;
}

void ExpectReference(const Case& c) {
  const PoolingGeometry g = c.Geometry();
  const PoolingReference reference(g);
  for (const bool special : {false, true}) {
    const auto x = Values(g.batch * g.channels * reference.InSize(), 1, special);
    const auto dy = Values(g.batch * g.channels * reference.OutSize(), 2, special);
    const Pooled expected = RunReference(g, x, dy);
    for (const Layout& layout : Layouts(g)) {
      const Pooled own = RunOwn(g, layout, x, dy);
      const int64_t inner = layout.ImagePlanes()->inner;
      EXPECT_EQ(Bits(own.y), Bits(expected.y)) << c.name << ", inner " << inner;
      EXPECT_EQ(Bits(own.dx), Bits(expected.dx)) << c.name << ", inner " << inner;
    }
  }
}

TEST(OwnPooling, EveryLayoutGivesBitsOfDefinition) {
  const ComputeScope scope(1);
  for (const Case& c : Apart()) ExpectReference(c);
  for (const Case& c : Overlapping()) ExpectReference(c);
}

TEST(OwnPooling, SeparateWindowsGiveBitsOfOnednn) {
  const ComputeScope scope(1);
  for (const Case& c : Apart()) {
    const PoolingGeometry g = c.Geometry();
    const PoolingReference reference(g);
    for (const bool special : {false, true}) {
      const auto x = Values(g.batch * g.channels * reference.InSize(), 3, special);
      const auto dy = Values(g.batch * g.channels * reference.OutSize(), 4, false);
      for (const Layout& layout : Layouts(g)) {
        const Pooled own = RunOwn(g, layout, x, dy), theirs = RunOnednn(g, layout, x, dy);
        const int64_t inner = layout.ImagePlanes()->inner;
        EXPECT_EQ(Bits(own.y), Bits(theirs.y)) << c.name << ", inner " << inner;
        EXPECT_EQ(Bits(own.dx), Bits(theirs.dx)) << c.name << ", inner " << inner;
      }
    }
  }
}

// oneDNN adds the gradients of windows that overlap in an order that depends on its code.
TEST(OwnPooling, OverlappingWindowsGiveResultsOfOnednn) {
  const ComputeScope scope(1);
  for (const Case& c : Overlapping()) {
    const PoolingGeometry g = c.Geometry();
    const PoolingReference reference(g);
    const auto x = Values(g.batch * g.channels * reference.InSize(), 5, c.kind == kMax);
    const auto dy = Values(g.batch * g.channels * reference.OutSize(), 6, false);
    for (const Layout& layout : Layouts(g)) {
      const Pooled own = RunOwn(g, layout, x, dy), theirs = RunOnednn(g, layout, x, dy);
      const int64_t inner = layout.ImagePlanes()->inner;
      EXPECT_EQ(Bits(own.y), Bits(theirs.y)) << c.name << ", inner " << inner;
      EXPECT_THAT(own.dx, testing::Pointwise(testing::FloatNear(1e-4f), theirs.dx))
          << c.name << ", inner " << inner;
    }
  }
}

TEST(OwnPooling, ThreadsChangeNoBit) {
  const Case c{"", kMax, {40, 40}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, 20, 3};
  for (const PoolingKind kind : {kMax, kInside}) {
    PoolingGeometry g = c.Geometry();
    g.kind = kind;
    const PoolingReference reference(g);
    const auto x = Values(g.batch * g.channels * reference.InSize(), 7, false);
    const auto dy = Values(g.batch * g.channels * reference.OutSize(), 8, false);
    const Layout layout = Layouts(g)[1];
    Pooled one;
    {
      const ComputeScope scope(1);
      one = RunOwn(g, layout, x, dy);
    }
    for (const int threads : {2, 3, 5}) {
      const ComputeScope scope(threads);
      const Pooled several = RunOwn(g, layout, x, dy);
      EXPECT_EQ(Bits(several.y), Bits(one.y)) << threads << " threads";
      EXPECT_EQ(Bits(several.dx), Bits(one.dx)) << threads << " threads";
    }
  }
}

TEST(OwnPooling, PositionsAreBytesIfTheyFit) {
  const Case small{"", kMax, {16, 16}, {16, 16}, {16, 16}, {0, 0}, {0, 0}, 16, 4};
  const Case large{"", kMax, {16, 17}, {16, 17}, {16, 17}, {0, 0}, {0, 0}, 16, 4};
  const auto forward = [](const Case& c, PoolingWorkspace workspace) {
    return OwnPoolingForward(c.Geometry(), Layouts(c.Geometry())[0], workspace);
  };
  EXPECT_EQ(forward(small, PoolingWorkspace::kKept).storage_floats(Role::kWorkspace), 4 * 16 / 4);
  EXPECT_EQ(forward(large, PoolingWorkspace::kKept).storage_floats(Role::kWorkspace), 4 * 16 / 2);
  EXPECT_EQ(forward(small, PoolingWorkspace::kNone).storage_floats(Role::kWorkspace), 0);
}

TEST(OwnPooling, ComputesWhatItsPositionsCanName) {
  const auto can = [](int64_t height, int64_t width) {
    const Case c{"", kMax, {height, width}, {height, width}, {1, 1}, {0, 0}, {0, 0}, 1, 1};
    return OwnPoolingCan(c.Geometry(), Layouts(c.Geometry())[0]);
  };
  EXPECT_TRUE(can(256, 256));
  EXPECT_FALSE(can(256, 257));
}

TEST(Pooling, KernelDependsOnLayout) {
  const PoolingGeometry g = Case{"", kMax, {8, 8}, {2, 2}, {2, 2}, {0, 0}, {0, 0}}.Geometry();
  for (const Layout& layout : Layouts(g)) {
    const bool own = layout.ImagePlanes()->inner >= 8;
    const auto forward = PoolingForward(g, layout, PoolingWorkspace::kKept);
    DL_ASSERT_OK(forward);
    EXPECT_EQ(forward->name() == "own:max_pool", own) << forward->name();
    const auto backward = PoolingBackward(g, layout, forward->layout(Role::kDestination));
    DL_ASSERT_OK(backward);
    EXPECT_EQ(backward->name() == "own:max_pool", own) << backward->name();
  }
}

TEST(Layout, ImagePlanesDescribesLayoutsOfImages) {
  const auto f32 = dnnl::memory::data_type::f32;
  const auto planes = [](const dnnl::memory::desc& desc) -> std::pair<int64_t, int64_t> {
    const auto found = MakeLayout(desc).ImagePlanes();
    return found ? std::pair(found->planes, found->inner) : std::pair<int64_t, int64_t>(0, 0);
  };
  using Pair = std::pair<int64_t, int64_t>;
  EXPECT_EQ(planes({{2, 20, 3, 4}, f32, Tag::nchw}), Pair(40, 1));
  EXPECT_EQ(planes({{2, 20, 3, 4}, f32, Tag::nChw16c}), Pair(4, 16));
  EXPECT_EQ(planes({{2, 20, 3, 4}, f32, Tag::nChw8c}), Pair(6, 8));
  EXPECT_EQ(planes({{2, 20, 3, 4}, f32, Tag::nhwc}), Pair(2, 20));
  EXPECT_EQ(planes({{2, 20, 5, 3, 4}, f32, Tag::nCdhw16c}), Pair(4, 16));
  EXPECT_EQ(planes({{2, 20, 5, 3, 4}, f32, Tag::ndhwc}), Pair(2, 20));
  EXPECT_EQ(planes({{2, 1, 3, 4}, f32, Tag::nhwc}), Pair(2, 1));
  EXPECT_EQ(planes({{2, 20, 3, 4}, f32, dnnl::memory::dims{240, 12, 1, 3}}), Pair(0, 0))
      << "width before height";
  EXPECT_EQ(planes({{2, 16, 3, 4}, f32, Tag::NChw16n16c}), Pair(0, 0)) << "blocks of examples";
  EXPECT_EQ(planes({{2, 20}, f32, Tag::nc}), Pair(0, 0)) << "no image";
  EXPECT_EQ(planes({{2, 4, 3, 4}, f32, dnnl::memory::dims{96, 12, 4, 1}}), Pair(0, 0)) << "gaps";
}

TEST(Layout, WithAxesIsLayoutOfOnednn) {
  const auto f32 = dnnl::memory::data_type::f32;
  const std::vector<int64_t> axes = {5, 7};
  for (const Tag tag : {Tag::nchw, Tag::nChw8c, Tag::nChw16c, Tag::nhwc}) {
    for (const int64_t channels : {1, 16, 20}) {
      EXPECT_EQ(MakeLayout({{2, channels, 3, 4}, f32, tag}).WithAxes(axes),
                MakeLayout({{2, channels, 5, 7}, f32, tag}))
          << channels;
    }
  }
}

}  // namespace
}  // namespace dl::nn
