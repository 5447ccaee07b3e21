// The flat vector of a model: its segment table and its initial values.
#pragma once

#include <cstdint>
#include <vector>

#include "base/segment_table.h"
#include "nn/conf/model_config.h"

namespace dl::nn {

// Returns the table of a model's vector, in this order. All parameters in layer order
// ("conv1.weight" [filters, channels/groups, kh, kw], "conv1.bias" [filters], dense weight [units,
// inputs], "bn1.gamma", "bn1.beta"). Then pairs of mean and variance ("bn1.mean", "bn1.variance").
// Then the updater's state for each parameter ("conv1.weight/momentum"; Adam: "/m", "/v"). Then, if
// carried_rows > 0, the carried states of stateful layers ("lstm1.state", "lstm1.cell",
// [carried_rows, units]).
SegmentTable FullTable(const ModelConfig& model, int64_t carried_rows = 0);

// Returns whether any layer carries a state from one minibatch to the next.
bool IsStateful(const ModelConfig& model);

// Returns the values at round 0, one for each element of FullTable(model, carried_rows). They are a
// pure function of model and seed, with equal bits on every machine. Updater state and carried
// states are 0. Segment i of the table draws from the random stream (seed, kInitialize, i).
std::vector<float> InitialState(const ModelConfig& model, uint64_t seed, int64_t carried_rows = 0);

}  // namespace dl::nn
