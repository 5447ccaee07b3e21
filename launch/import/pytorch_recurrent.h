// Maps the tensors of a recurrent layer to those of PyTorch's nn.LSTM, nn.GRU and nn.RNN. PyTorch
// stores `weight_ih_l0`, `weight_hh_l0` and two biases, `bias_ih_l0` and `bias_hh_l0`. The layers
// of Paravane have the sum of both biases. A GRU keeps the part of `bias_hh` that the reset gate
// multiplies as "recurrent_bias".
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "launch/import/pytorch_transposed.h"
#include "nn/conf/layer_config.h"

namespace dl::launch {

// Describes how the values of one tensor of a model are computed from a file:
//   - Take the values of the tensor `name`, from its element `first` on.
//   - If `exchanged` is set, take all its values in the order of ExchangedAxes, and skip the other
//     steps.
//   - Add the first `added_elements` values of the tensor `added` to the first values taken.
//   - Add `shift` to the elements [shifted_first, shifted_first + shifted_elements).
struct TensorSource {
  std::string name;
  int64_t first = 0;
  std::string added = "";
  int64_t added_elements = 0;
  double shift = 0;
  int64_t shifted_first = 0, shifted_elements = 0;
  std::optional<ExchangedAxes> exchanged = {};
};

// Returns the source of `tensor` ("weight", "backward_bias", …) of `layer`. `theirs` is the name of
// the PyTorch module, with "_lK" appended for its layer K: "rnn", "rnn_l1". Returns nullopt if
// PyTorch has no such tensor, for example if the layer is not recurrent, or is a GRU that resets
// before the product. The shift compensates for forget_bias, a constant that PyTorch's LSTM does
// not have.
std::optional<TensorSource> PyTorchSource(const nn::LayerConfig& layer, const std::string& tensor,
                                          const std::string& theirs);

// Returns the name of the module, "rnn" for "rnn_l1". Returns nullopt if `theirs` does not end with
// the number of a layer.
std::optional<std::string> ModuleOfLayer(const std::string& theirs);

}  // namespace dl::launch
