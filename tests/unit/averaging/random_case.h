// Random merges for the accumulator's tests: tables, contributions and weights as a pure function
// of a case number.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/philox.h"
#include "base/segment_table.h"
#include "tests/support/merge_contributions.h"

namespace dl::averaging {

struct RandomCase {
  SegmentTable table;
  std::vector<std::vector<float>> vectors;
  std::vector<int64_t> examples;

  std::vector<test::WeightedVector> Contributions() const {
    std::vector<test::WeightedVector> out;
    for (size_t m = 0; m < vectors.size(); ++m) out.push_back({vectors[m], examples[m]});
    return out;
  }
};

// Fills `segment` with random signs and mantissas and with magnitudes over 2^40 below `scale`, or
// with zeros.
inline void FillSegment(RandomStream& random, const SegmentTable& table, size_t index, float scale,
                        std::vector<float>& flat) {
  const Segment& segment = table.segments()[index];
  const bool nonnegative = segment.kind == SegmentKind::kVariance;
  for (float& x : table.View(segment, std::span(flat))) {
    const uint32_t bits = random.NextU32();
    const float mantissa = 0x1p23f + static_cast<float>(bits & 0x7fffff);
    const float power = std::bit_cast<float>((127 - (bits >> 24) % 41) << 23);
    x = mantissa * 0x1p-24f * power * scale;
    if (!nonnegative && (bits >> 23 & 1)) x = -x;
  }
}

// Makes a case with `elements` values in one to six segments. In every other case, the last two
// segments are a pair of moments. A quarter of the segments is zero in all contributions, some are
// zero in one contribution. Scales are 2^-110 to 2^60. A case in 16 has a single contribution, the
// others have 2 to `max_workers`. REQUIRES: max_workers >= 2.
inline RandomCase MakeRandomCase(uint64_t number, int64_t elements, int64_t max_workers) {
  RandomStream random({.seed = 20, .purpose = RandomPurpose::kForTests, .a = number});
  RandomCase out;
  const int64_t parameters = 1 + random.Bounded(4);
  const int64_t moments = random.Bounded(2) == 0 ? elements / 8 : 0;
  int64_t left = elements - 2 * moments;
  for (int64_t i = 0; i < parameters; ++i) {
    const int64_t size = i + 1 == parameters ? left : random.Bounded(left + 1);
    out.table.Add("p" + std::to_string(i), SegmentKind::kParameter, {size});
    left -= size;
  }
  if (moments > 0) {
    out.table.Add("bn.mean", SegmentKind::kMean, {moments});
    out.table.Add("bn.variance", SegmentKind::kVariance, {moments});
  }
  // A single contribution is copied, without order or grouping.
  const int64_t workers = random.Bounded(16) == 0 ? 1 : 2 + random.Bounded(max_workers - 1);
  const uint64_t weight_bound = uint64_t{1} << (1 + random.Bounded(24));  // some sums need 128 bits
  out.vectors.assign(workers, std::vector<float>(out.table.size(), 0.0f));
  for (int64_t m = 0; m < workers; ++m) out.examples.push_back(1 + random.Bounded(weight_bound));
  for (size_t i = 0; i < out.table.segments().size(); ++i) {
    if (random.Bounded(4) == 0) continue;
    const bool pair = out.table.segments()[i].kind != SegmentKind::kParameter;
    const int exponent = pair ? 0 : static_cast<int>(random.Bounded(171)) - 110;
    const float scale = std::bit_cast<float>(static_cast<uint32_t>(exponent + 127) << 23);
    for (std::vector<float>& flat : out.vectors) {
      if (random.Bounded(16) != 0) FillSegment(random, out.table, i, scale, flat);
    }
  }
  return out;
}

}  // namespace dl::averaging
