// Runs of primitives on values in the canonical order.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "base/float_buffer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/backend/compute_scope.h"
#include "nn/backend/primitive.h"
#include "tests/support/status_matchers.h"

namespace dl::nn {

// Copies values between layouts, and rounds or widens them.
inline FloatBuffer Copied(const void* values, const Layout& from, const Layout& to) {
  auto copy = FloatBuffer::Create((to.bytes() + 3) / 4);
  EXPECT_THAT(copy, dl::test::IsOk());
  const auto reorder = Reorder(from, to);
  EXPECT_THAT(reorder, dl::test::IsOk());
  auto scratch = FloatBuffer::Create(reorder->storage_floats(Role::kScratchpad));
  EXPECT_THAT(scratch, dl::test::IsOk());
  const auto bound = reorder->Bind({{Role::kSource, const_cast<void*>(values)},
                                    {Role::kDestination, copy->data()},
                                    {Role::kScratchpad, scratch->data()}});
  EXPECT_THAT(bound, dl::test::IsOk());
  EXPECT_THAT(bound->Run(), dl::test::IsOk());
  return *std::move(copy);
}

// Runs a primitive on values in the canonical order. Returns its results in the same order.
inline std::map<Role, std::vector<float>> ResultsOf(
    const Primitive& primitive, std::vector<Role> results,
    const std::map<Role, std::vector<float>>& values, int threads) {
  const ComputeScope scope(threads);
  std::map<Role, FloatBuffer> buffers;
  std::erase_if(results, [&](Role role) { return primitive.layout(role).empty(); });
  for (const auto& [role, of_role] : values) {
    const Layout layout = primitive.layout(role);
    if (layout.empty()) continue;
    buffers.emplace(role, Copied(of_role.data(), Layout::Plain(layout.dims()), layout));
  }
  std::vector<Role> written = results;
  written.push_back(Role::kScratchpad);
  for (const Role role : written) {
    auto buffer = FloatBuffer::Create(primitive.storage_floats(role));
    EXPECT_THAT(buffer, dl::test::IsOk());
    std::ranges::fill(buffer->span(), 7.0f);  // which the kernel must overwrite
    buffers.emplace(role, *std::move(buffer));
  }
  const auto data = [&](Role role) -> void* {
    const auto at = buffers.find(role);
    return at == buffers.end() ? nullptr : at->second.data();
  };
  using enum Role;
  const auto bound = primitive.Bind({{kSource, data(kSource)},
                                     {kWeights, data(kWeights)},
                                     {kBias, data(kBias)},
                                     {kMean, data(kMean)},
                                     {kVariance, data(kVariance)},
                                     {kScale, data(kScale)},
                                     {kShift, data(kShift)},
                                     {kDestination, data(kDestination)},
                                     {kDiffSource, data(kDiffSource)},
                                     {kDiffWeights, data(kDiffWeights)},
                                     {kDiffBias, data(kDiffBias)},
                                     {kDiffScale, data(kDiffScale)},
                                     {kDiffShift, data(kDiffShift)},
                                     {kDiffDestination, data(kDiffDestination)},
                                     {kScratchpad, data(kScratchpad)}});
  EXPECT_THAT(bound, dl::test::IsOk());
  EXPECT_THAT(bound->Run(), dl::test::IsOk());
  std::map<Role, std::vector<float>> all;
  for (const Role role : results) {
    const Layout layout = primitive.layout(role);
    const FloatBuffer plain = Copied(data(role), layout, Layout::Plain(layout.dims()));
    all[role] = {plain.span().begin(), plain.span().end()};
  }
  return all;
}

}  // namespace dl::nn
