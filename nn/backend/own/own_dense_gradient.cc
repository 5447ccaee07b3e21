#include "nn/backend/own/own_dense_gradient.h"

#include <memory>
#include <optional>
#include <utility>

#include "nn/backend/blocked_layouts.h"
#include "nn/backend/own/own_kernel.h"
#include "nn/backend/parallel_for.h"
#include "nn/kernels/amx/dense_gradient.h"

namespace dl::nn {
namespace {

void Run(const AmxDenseGradient& gradient, const BufferPointers& buffers) {
  const AmxDenseGradient::Buffers b{
      .source = buffers.Get<const uint16_t>(Role::kSource),
      .diff_destination = buffers.Get<const uint16_t>(Role::kDiffDestination),
      .diff_weights = buffers.Get<float>(Role::kDiffWeights),
      .diff_bias = buffers.Get<float>(Role::kDiffBias),
      .scratch = buffers.Get<uint16_t>(Role::kScratchpad)};
  constexpr int64_t kFloatsOfTiles = int64_t{1} << 11;  // about
  constexpr int64_t kFloatsOfUnit = int64_t{1} << 16;   // more than threads need to wake up
  for (int64_t block = 0; block < gradient.blocks(); ++block) {
    ForRows(gradient.staging_units(), kFloatsOfTiles, [&](int64_t begin, int64_t end) {
      gradient.Stage(b, block, {begin, end});
    });
    ForRows(gradient.units(), kFloatsOfUnit, [&](int64_t begin, int64_t end) {
      gradient.Compute(b, block, {begin, end});
    });
  }
}

}  // namespace

bool CanComputeOwnDenseGradient(const Primitive& primitive) {
  const Layout source = primitive.layout(Role::kSource);
  const Layout destination = primitive.layout(Role::kDiffDestination);
  if (source.type() != DataType::kBf16 || destination.type() != DataType::kBf16) return false;
  if (!source.is_plain() || !destination.is_plain()) return false;
  const auto gradient = BlockedMatrixOf(primitive.layout(Role::kDiffWeights));
  return gradient.has_value() && AmxDenseGradient::Supports(*gradient);
}

Primitive OwnDenseGradient(const Primitive& primitive) {
  Kernel::Layouts layouts;
  for (const Role role :
       {Role::kSource, Role::kDiffDestination, Role::kDiffWeights, Role::kDiffBias}) {
    const Layout layout = primitive.layout(role);
    if (!layout.empty()) layouts.emplace(role, layout);
  }
  const int64_t rows = layouts.at(Role::kDiffDestination).dims()[0];
  // Shared by bound kernels.
  const auto gradient = std::make_shared<const AmxDenseGradient>(
      rows, *BlockedMatrixOf(layouts.at(Role::kDiffWeights)));
  const int64_t scratch =
      gradient->scratch_values() / 2;  // floats; tiles are even numbers of values
  layouts.emplace(Role::kScratchpad, Layout::Plain({&scratch, 1}));
  return OwnPrimitive("dense_gradient", std::move(layouts),
                      [gradient](const BufferPointers& buffers) { Run(*gradient, buffers); });
}

}  // namespace dl::nn
