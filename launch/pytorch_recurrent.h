// How PyTorch's nn.LSTM, nn.GRU and nn.RNN store what a recurrent layer has: `weight_ih_l0`,
// `weight_hh_l0`, and two biases, `bias_ih_l0` and `bias_hh_l0`, where our layers have one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "nn/conf/layer_config.h"

namespace dl::launch {

// The source of the values of one tensor: those of the tensor `name` from element `first` on;
// to the first `added_elements` of them are added those of the tensor `added`, and to the elements
// [shifted_first, shifted_first + shifted_elements) `shift`.
struct TensorSource {
  std::string name;
  int64_t first = 0;
  std::string added = "";
  int64_t added_elements = 0;
  double shift = 0;
  int64_t shifted_first = 0, shifted_elements = 0;
};

// `tensor`: "weight", "backward_bias", … of `layer`. `theirs`: what the module is called, with
// "_lK" at its end for layer K of it: "rnn", "rnn_l1". No source when PyTorch has no such tensor:
// the layer is not recurrent, or a GRU that resets before the product. A shift makes up for
// forget_bias, a constant that PyTorch's LSTM does not have.
std::optional<TensorSource> PyTorchSource(const nn::LayerConfig& layer, const std::string& tensor,
                                          const std::string& theirs);

// "rnn" of "rnn_l1": the module's name, where it ends with the number of one of its layers.
std::optional<std::string> ModuleOfLayer(const std::string& theirs);

}  // namespace dl::launch
