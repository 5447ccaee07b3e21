#include "nn/conf/caches_in_bits.h"

#include <algorithm>
#include <variant>

#include "nn/conf/layer_config.h"
#include "nn/conf/segments.h"

namespace dl::nn {
namespace {

// Groups of whole blocks are computed block by block, and groups of one channel by special kernels.
// All other groups are computed by matrix products, in pieces of the second-level cache's size.
bool IsOfUnevenGroups(const LayerConfig& layer) {
  constexpr int64_t kBlock = 16;  // channels; AVX2 has blocks of 8, but one rule serves both
  const auto judge = [&](const auto& conf) {
    if constexpr (requires { conf.groups + conf.filters; }) {
      const int64_t in = layer.input.channels / conf.groups, out = conf.filters / conf.groups;
      const bool by_blocks = in % kBlock == 0 && out % kBlock == 0;
      return conf.groups > 1 && !by_blocks && (in > 1 || out > 1);
    }
    return false;
  };
  return std::visit(judge, layer.conf);
}

}  // namespace

CachesInBits CachesInBitsOf(const ModelConfig& model, int64_t threads, Precision precision) {
  if (precision == Precision::kBf16) return {.second = true, .last = true};
  return {.second = std::ranges::any_of(model.layers, IsOfUnevenGroups),
          .last = threads > 1 && FullTable(model).SizeOf(SegmentKind::kMean) > 0};
}

}  // namespace dl::nn
