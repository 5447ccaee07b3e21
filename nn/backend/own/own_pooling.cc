#include "nn/backend/own/own_pooling.h"

#include <omp.h>

#include <limits>
#include <string>

#include "nn/backend/own/own_kernel.h"
#include "nn/kernels/pooling_kernels.h"

namespace dl::nn {
namespace {

constexpr int64_t kByteTaps = int64_t{std::numeric_limits<uint8_t>::max()} + 1;
constexpr int64_t kMostTaps = int64_t{std::numeric_limits<uint16_t>::max()} + 1;

// Planes of one tensor, all with the same windows.
struct PooledTensor {
  PooledPlanes shape;
  int64_t planes = 0;
};

// REQUIRES: source.ImagePlanes() has a value.
PooledTensor TensorOf(const PoolingGeometry& g, const Layout& source) {
  const PlanesInMemory memory = *source.ImagePlanes();
  PooledTensor tensor{.shape = {.inner = memory.inner}, .planes = memory.planes};
  const size_t given = g.window.in.size(), missing = tensor.shape.axes.size() - given;
  for (size_t i = 0; i < given; ++i) {
    tensor.shape.axes[missing + i] = {.in = g.window.in[i],
                                      .out = g.window.out[i],
                                      .kernel = g.window.kernel[i],
                                      .stride = g.window.stride[i],
                                      .pad = g.window.pad_before[i]};
  }
  return tensor;
}

// Calls compute(plane) for each plane on the threads of the process's compute scope. Planes do not
// depend on each other, so threads change no bit.
template <typename Compute>
void ForEachPlane(const PooledTensor& tensor, const Compute& compute) {
  // Below this number of values, other threads take longer to start than to compute.
  constexpr int64_t kFewValues = 1 << 14;
  // A team of one thread would allocate memory.
  if (omp_get_max_threads() == 1 || tensor.planes * tensor.shape.InputSize() < kFewValues) {
    for (int64_t plane = 0; plane < tensor.planes; ++plane) compute(plane);
    return;
  }
#pragma omp parallel for schedule(static)
  for (int64_t plane = 0; plane < tensor.planes; ++plane) compute(plane);
}

template <typename Index>
void RunLargest(const PooledTensor& tensor, const BufferPointers& buffers) {
  const int64_t in = tensor.shape.InputSize(), out = tensor.shape.OutputSize();
  const auto* x = buffers.Get<const float>(Role::kSource);
  auto* y = buffers.Get<float>(Role::kDestination);
  auto* where = buffers.Get<Index>(Role::kWorkspace);
  ForEachPlane(tensor, [&](int64_t p) {
    if (where == nullptr) {
      LargestInWindows(tensor.shape, x + p * in, y + p * out);
    } else {
      LargestInWindows(tensor.shape, x + p * in, y + p * out, where + p * out);
    }
  });
}

template <typename Index>
void RunLargestGradient(const PooledTensor& tensor, const BufferPointers& buffers) {
  const int64_t in = tensor.shape.InputSize(), out = tensor.shape.OutputSize();
  const auto* dy = buffers.Get<const float>(Role::kDiffDestination);
  const auto* where = buffers.Get<const Index>(Role::kWorkspace);
  auto* dx = buffers.Get<float>(Role::kDiffSource);
  ForEachPlane(tensor, [&](int64_t p) {
    LargestInWindowsGradient(tensor.shape, dy + p * out, where + p * out, dx + p * in);
  });
}

PooledCount CountOf(PoolingKind kind) {
  return kind == PoolingKind::kAverageWindow ? PooledCount::kWindow : PooledCount::kInside;
}

void RunMeans(const PooledTensor& tensor, PooledCount count, const BufferPointers& buffers) {
  const int64_t in = tensor.shape.InputSize(), out = tensor.shape.OutputSize();
  const auto* x = buffers.Get<const float>(Role::kSource);
  auto* y = buffers.Get<float>(Role::kDestination);
  ForEachPlane(tensor,
               [&](int64_t p) { MeansInWindows(tensor.shape, count, x + p * in, y + p * out); });
}

void RunMeansGradient(const PooledTensor& tensor, PooledCount count,
                      const BufferPointers& buffers) {
  const int64_t in = tensor.shape.InputSize(), out = tensor.shape.OutputSize();
  const auto* dy = buffers.Get<const float>(Role::kDiffDestination);
  auto* dx = buffers.Get<float>(Role::kDiffSource);
  ForEachPlane(tensor, [&](int64_t p) {
    MeansInWindowsGradient(tensor.shape, count, dy + p * out, dx + p * in);
  });
}

Layout Positions(const PooledTensor& tensor) {
  const int64_t bytes = tensor.shape.Taps() <= kByteTaps ? 1 : 2;
  const int64_t size = tensor.planes * tensor.shape.OutputSize() * bytes;
  return Layout::Plain({&size, 1}, DataType::kUint8);
}

}  // namespace

bool OwnPoolingCan(const PoolingGeometry& g, const Layout& source) {
  if (source.type() != DataType::kFloat32 || !source.ImagePlanes()) return false;
  return g.kind != PoolingKind::kMax || TensorOf(g, source).shape.Taps() <= kMostTaps;
}

Primitive OwnPoolingForward(const PoolingGeometry& g, const Layout& source,
                            PoolingWorkspace workspace) {
  const PooledTensor tensor = TensorOf(g, source);
  Kernel::Layouts layouts = {{Role::kSource, source},
                             {Role::kDestination, source.WithAxes(g.window.out)}};
  if (g.kind != PoolingKind::kMax) {
    return OwnPrimitive("average_pool", std::move(layouts),
                        [tensor, count = CountOf(g.kind)](const BufferPointers& buffers) {
                          RunMeans(tensor, count, buffers);
                        });
  }
  if (workspace == PoolingWorkspace::kKept) layouts.emplace(Role::kWorkspace, Positions(tensor));
  const auto run = tensor.shape.Taps() <= kByteTaps ? RunLargest<uint8_t> : RunLargest<uint16_t>;
  return OwnPrimitive("max_pool", std::move(layouts),
                      [tensor, run](const BufferPointers& buffers) { run(tensor, buffers); });
}

Primitive OwnPoolingBackward(const PoolingGeometry& g, const Layout& source) {
  const PooledTensor tensor = TensorOf(g, source);
  Kernel::Layouts layouts = {{Role::kDiffSource, source},
                             {Role::kDiffDestination, source.WithAxes(g.window.out)}};
  if (g.kind != PoolingKind::kMax) {
    return OwnPrimitive("average_pool", std::move(layouts),
                        [tensor, count = CountOf(g.kind)](const BufferPointers& buffers) {
                          RunMeansGradient(tensor, count, buffers);
                        });
  }
  layouts.emplace(Role::kWorkspace, Positions(tensor));
  const auto run =
      tensor.shape.Taps() <= kByteTaps ? RunLargestGradient<uint8_t> : RunLargestGradient<uint16_t>;
  return OwnPrimitive("max_pool", std::move(layouts),
                      [tensor, run](const BufferPointers& buffers) { run(tensor, buffers); });
}

}  // namespace dl::nn
