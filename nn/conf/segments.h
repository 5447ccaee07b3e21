// The flat vector of a model: its table and its first values.
#pragma once

#include <cstdint>
#include <vector>

#include "base/segment_table.h"
#include "nn/conf/model_config.h"

namespace dl::nn {

// All parameters in layer order ("conv1.weight" [filters, channels/groups, kh, kw], "conv1.bias"
// [filters], dense weight [units, inputs], "bn1.gamma", "bn1.beta"), then mean/variance pairs
// ("bn1.mean", "bn1.variance"), then the updater's state by parameter ("conv1.weight/momentum";
// Adam: "/m", "/v"), then what stateful layers carry of each of a minibatch's `carried_rows`
// ("lstm1.state", "lstm1.cell", [carried_rows, units]).
SegmentTable FullTable(const ModelConfig& model, int64_t carried_rows = 0);

// Whether any layer carries something from one minibatch to the next.
bool IsStateful(const ModelConfig& model);

// The values at round 0, one for each element of FullTable(model, carried_rows): a pure function of
// model and seed, the same bits on every machine. Updater state is 0, and so is what is carried.
// Segment i of the table draws from stream (seed, kInitialize, i).
std::vector<float> InitialState(const ModelConfig& model, uint64_t seed, int64_t carried_rows = 0);

}  // namespace dl::nn
