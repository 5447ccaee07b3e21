#include "nn/conf/activation_segments.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "nn/conf/layer_config.h"
#include "nn/conf/layer_memory.h"

namespace dl::nn {
namespace {

// Sizes of values of one example, in floats. A position is a number of layers: it lies before the
// layer with this index.
struct Sizes {
  std::vector<double> kept_before;  // by all layers before a position, for the backward pass
  std::vector<double> read_across;  // values of layers before a position that layers after it read
};

Sizes SizesOf(const ModelConfig& model) {
  const size_t layers = model.layers.size();
  Sizes sizes{.kept_before = {0}, .read_across = std::vector<double>(layers + 1, 0)};
  std::vector<size_t> last_reader(layers, 0);
  for (size_t i = 0; i < layers; ++i) {
    const LayerConfig& layer = model.layers[i];
    const double kept = MemoryOf(layer, PaddedValues(layer.input), /*batch=*/1, /*threads=*/1).kept;
    sizes.kept_before.push_back(sizes.kept_before.back() + kept);
    for (const int read : layer.reads) {
      if (!IsInput(read)) last_reader[read] = i;
    }
  }
  for (size_t i = 0; i < layers; ++i) {
    for (size_t position = i + 1; position <= last_reader[i]; ++position)
      sizes.read_across[position] += PaddedValues(model.layers[i].output);
  }
  return sizes;
}

struct Division {
  double memory = std::numeric_limits<double>::infinity();
  std::vector<size_t> ends;  // positions of the ends of segments, the last first
};

// Returns the division into segments that keep at most `most` each and store the least between
// them.
Division DivideInto(const Sizes& sizes, double most) {
  const size_t layers = sizes.kept_before.size() - 1;
  std::vector<double> stored(layers + 1, std::numeric_limits<double>::infinity());
  std::vector<size_t> begins(layers + 1, 0);
  stored[0] = 0;
  for (size_t end = 1; end <= layers; ++end) {
    for (size_t begin = end; begin-- > 0;) {
      if (sizes.kept_before[end] - sizes.kept_before[begin] > most) break;
      const double sum = stored[begin] + sizes.read_across[begin];
      if (sum >= stored[end]) continue;
      stored[end] = sum;
      begins[end] = begin;
    }
  }
  Division division{.memory = stored[layers] + most};
  if (!std::isfinite(division.memory)) return division;  // a layer keeps more than `most`
  for (size_t end = layers; end > 0; end = begins[end]) division.ends.push_back(end);
  return division;
}

}  // namespace

std::vector<int> ActivationSegments(const ModelConfig& model) {
  const Sizes sizes = SizesOf(model);
  const size_t layers = model.layers.size();
  const double kept = sizes.kept_before.back();
  const auto most_parts = static_cast<int>(2 * std::sqrt(static_cast<double>(layers))) + 1;
  Division best;
  for (int parts = 1; parts <= most_parts; ++parts) {
    Division division = DivideInto(sizes, kept / parts);
    if (division.memory < best.memory) best = std::move(division);
  }
  std::vector<int> segments;
  int segment = 0;
  for (size_t i = 0; i < layers; ++i) {
    if (i == best.ends.back()) {
      best.ends.pop_back();
      ++segment;
    }
    segments.push_back(segment);
  }
  return segments;
}

}  // namespace dl::nn
