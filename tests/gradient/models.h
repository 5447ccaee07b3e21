// The models that the gradient tests run.
#pragma once

#include <string>
#include <vector>

#include "nn/conf/model_config.h"

namespace dl::gradient {

struct NamedModel {
  std::string name;
  nn::ModelConfig model;
};

// For each sample of each row of nn::LayerTypes(): the sample as the first layer, and behind a
// trained layer, whose gradient comes through it. A row without samples is a test failure.
std::vector<NamedModel> SampleModels();

// Whole networks with few parameters: layers in each other's company.
std::vector<NamedModel> SmallNetworks();

// Layers that read several others, values that several layers read.
std::vector<NamedModel> Graphs();

// Several inputs, and layers that have weights of others.
std::vector<NamedModel> SharingNetworks();

// Models with several losses: labels of their own and shared ones, compared with the input too.
std::vector<NamedModel> SeveralOutputs();

// Of sequences: a transformer's block, recurrent layers, sequences that become flat.
std::vector<NamedModel> SequenceNetworks();

// LeNet-5 and a network with blocked channels, group convolution and dropout.
std::vector<NamedModel> LargeNetworks();

bool HasBatchNorm(const nn::ModelConfig& model);

}  // namespace dl::gradient
