#include "nn/backend/own/own_pooling.h"

#include <limits>
#include <string>
#include <vector>

#include "nn/backend/own/own_kernel.h"
#include "nn/backend/parallel_for.h"
#include "nn/kernels/bf16.h"
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

// Calls compute(plane) for each plane, on the threads of the job.
template <typename Compute>
void ForEachPlane(const PooledTensor& tensor, const Compute& compute) {
  ForRows(tensor.planes, tensor.shape.InputSize(), [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) compute(plane);
  });
}

// The planes of one buffer, of kFloat32 or kBf16. Kernels compute in float32: bf16 is widened to
// memory of the thread, and rounded from there.
class Planes {
 public:
  Planes(const BufferPointers& buffers, Role role, const Layout& layout, int64_t planes)
      : data_(buffers.Get<void>(role)),
        size_(layout.stored_elements() / planes),
        is_bf16_(layout.type() == DataType::kBf16) {}

  const float* Read(int64_t plane) const {
    if (!is_bf16_) return static_cast<const float*>(data_) + plane * size_;
    thread_local std::vector<float> widened;
    widened.resize(size_);
    WidenBf16(static_cast<const uint16_t*>(data_) + plane * size_, widened.data(), size_);
    return widened.data();
  }
  // Calls compute(float*), which writes the plane.
  template <typename Compute>
  void Write(int64_t plane, const Compute& compute) const {
    if (!is_bf16_) return compute(static_cast<float*>(data_) + plane * size_);
    thread_local std::vector<float> exact;
    exact.resize(size_);
    compute(exact.data());
    RoundToBf16(exact.data(), static_cast<uint16_t*>(data_) + plane * size_, size_);
  }

 private:
  void* data_;
  int64_t size_;
  bool is_bf16_;
};

// The layouts of the input and of the output, or of their gradients.
struct PoolLayouts {
  Layout in, out;
};

template <typename Index>
void RunLargest(const PooledTensor& tensor, const PoolLayouts& layouts,
                const BufferPointers& buffers) {
  const Planes x(buffers, Role::kSource, layouts.in, tensor.planes);
  const Planes y(buffers, Role::kDestination, layouts.out, tensor.planes);
  auto* const where = buffers.Get<Index>(Role::kWorkspace);
  ForEachPlane(tensor, [&](int64_t p) {
    y.Write(p, [&](float* plane) {
      if (where == nullptr) {
        LargestInWindows(tensor.shape, x.Read(p), plane);
      } else {
        LargestInWindows(tensor.shape, x.Read(p), plane, where + p * tensor.shape.OutputSize());
      }
    });
  });
}

template <typename Index>
void RunLargestGradient(const PooledTensor& tensor, const PoolLayouts& layouts,
                        const BufferPointers& buffers) {
  const Planes dx(buffers, Role::kDiffSource, layouts.in, tensor.planes);
  const Planes dy(buffers, Role::kDiffDestination, layouts.out, tensor.planes);
  const auto* const where = buffers.Get<const Index>(Role::kWorkspace);
  ForEachPlane(tensor, [&](int64_t p) {
    dx.Write(p, [&](float* plane) {
      LargestInWindowsGradient(tensor.shape, dy.Read(p), where + p * tensor.shape.OutputSize(),
                               plane);
    });
  });
}

PooledCount CountOf(PoolingKind kind) {
  return kind == PoolingKind::kAverageWindow ? PooledCount::kWindow : PooledCount::kInside;
}

void RunMeans(const PooledTensor& tensor, PooledCount count, const PoolLayouts& layouts,
              const BufferPointers& buffers) {
  const Planes x(buffers, Role::kSource, layouts.in, tensor.planes);
  const Planes y(buffers, Role::kDestination, layouts.out, tensor.planes);
  ForEachPlane(tensor, [&](int64_t p) {
    y.Write(p, [&](float* plane) { MeansInWindows(tensor.shape, count, x.Read(p), plane); });
  });
}

void RunMeansGradient(const PooledTensor& tensor, PooledCount count, const PoolLayouts& layouts,
                      const BufferPointers& buffers) {
  const Planes dx(buffers, Role::kDiffSource, layouts.in, tensor.planes);
  const Planes dy(buffers, Role::kDiffDestination, layouts.out, tensor.planes);
  ForEachPlane(tensor, [&](int64_t p) {
    dx.Write(p,
             [&](float* plane) { MeansInWindowsGradient(tensor.shape, count, dy.Read(p), plane); });
  });
}

Layout Positions(const PooledTensor& tensor) {
  const int64_t bytes = tensor.shape.Taps() <= kByteTaps ? 1 : 2;
  const int64_t size = tensor.planes * tensor.shape.OutputSize() * bytes;
  return Layout::Plain({&size, 1}, DataType::kUint8);
}

}  // namespace

bool OwnPoolingCan(const PoolingGeometry& g, const Layout& source) {
  const bool has_type = source.type() == DataType::kFloat32 || source.type() == DataType::kBf16;
  if (!has_type || !source.ImagePlanes()) return false;
  return g.kind != PoolingKind::kMax || TensorOf(g, source).shape.Taps() <= kMostTaps;
}

Primitive OwnPoolingForward(const PoolingGeometry& g, const Layout& source,
                            PoolingWorkspace workspace) {
  const PooledTensor tensor = TensorOf(g, source);
  const PoolLayouts pool{.in = source, .out = source.WithAxes(g.window.out)};
  Kernel::Layouts layouts = {{Role::kSource, pool.in}, {Role::kDestination, pool.out}};
  if (g.kind != PoolingKind::kMax) {
    return OwnPrimitive("average_pool", std::move(layouts),
                        [tensor, pool, count = CountOf(g.kind)](const BufferPointers& buffers) {
                          RunMeans(tensor, count, pool, buffers);
                        });
  }
  if (workspace == PoolingWorkspace::kKept) layouts.emplace(Role::kWorkspace, Positions(tensor));
  const auto run = tensor.shape.Taps() <= kByteTaps ? RunLargest<uint8_t> : RunLargest<uint16_t>;
  return OwnPrimitive(
      "max_pool", std::move(layouts),
      [tensor, pool, run](const BufferPointers& buffers) { run(tensor, pool, buffers); });
}

Primitive OwnPoolingBackward(const PoolingGeometry& g, const Layout& source) {
  const PooledTensor tensor = TensorOf(g, source);
  const PoolLayouts pool{.in = source, .out = source.WithAxes(g.window.out)};
  Kernel::Layouts layouts = {{Role::kDiffSource, pool.in}, {Role::kDiffDestination, pool.out}};
  if (g.kind != PoolingKind::kMax) {
    return OwnPrimitive("average_pool", std::move(layouts),
                        [tensor, pool, count = CountOf(g.kind)](const BufferPointers& buffers) {
                          RunMeansGradient(tensor, count, pool, buffers);
                        });
  }
  layouts.emplace(Role::kWorkspace, Positions(tensor));
  const auto run =
      tensor.shape.Taps() <= kByteTaps ? RunLargestGradient<uint8_t> : RunLargestGradient<uint16_t>;
  return OwnPrimitive(
      "max_pool", std::move(layouts),
      [tensor, pool, run](const BufferPointers& buffers) { run(tensor, pool, buffers); });
}

}  // namespace dl::nn
