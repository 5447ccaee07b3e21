// Models of the gradient tests.
#pragma once

#include <string>
#include <vector>

#include "nn/conf/model_config.h"

namespace dl::gradient {

struct NamedModel {
  std::string name;
  nn::ModelConfig model;
};

// Returns two models for each sample of each row of nn::LayerTypes(): the sample as first layer,
// and the sample after a trained layer that receives its gradient. A row without samples is a test
// failure.
std::vector<NamedModel> SampleModels();

// Whole networks with few parameters, which test combinations of layers.
std::vector<NamedModel> SmallNetworks();

// Layers that read several values, and values that several layers read.
std::vector<NamedModel> Graphs();

// Models with several inputs, and with layers that share weights.
std::vector<NamedModel> SharingNetworks();

// Models with several losses: with own labels, with shared labels, and compared with the input.
std::vector<NamedModel> SeveralOutputs();

// Models of sequences: a transformer block, recurrent layers, flattened sequences.
std::vector<NamedModel> SequenceNetworks();

// LeNet-5, and a network with blocked channels, group convolution and dropout.
std::vector<NamedModel> LargeNetworks();

bool HasBatchNorm(const nn::ModelConfig& model);

}  // namespace dl::gradient
