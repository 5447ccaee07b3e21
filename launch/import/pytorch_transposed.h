// Finds out whether a file has the weights of a transposed convolution in the order of PyTorch's
// nn.ConvTranspose2d, and maps indices to that order. PyTorch stores [channels, filters / groups,
// height, width]. The layers of Paravane have [filters, channels / groups, height, width]. If the
// numbers of channels and filters are equal, the shape does not show the order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"
#include "launch/import/safetensors_file.h"
#include "nn/conf/layer_config.h"

namespace dl::launch {

// The sizes of a tensor whose first two axes PyTorch exchanges within each group.
struct ExchangedAxes {
  int64_t filters = 0, channels = 0;  // of one group
  int64_t kernel = 0;                 // values of one window: height * width

  // Maps the index of an element of the layer's tensor to its index in PyTorch's tensor. The values
  // of a window are adjacent in both tensors, so only the first value of a window is mapped.
  // REQUIRES: `mine` is a multiple of `kernel`.
  int64_t TheirsOf(int64_t mine) const;
};

// Decides in which order the file has the values of `tensor` of `layer`, which it stores under the
// name `theirs`. Returns the axes to exchange if it has PyTorch's order. Returns nullopt if the
// values can be copied as they are:
//   - The tensor is not the weight of a transposed convolution, or the layer does not own it.
//   - Its shape is not PyTorch's, or a group has one filter and one channel.
//   - Its shape is that of both orders, and dl-submit export wrote the file.
// Returns InvalidArgument if its shape is that of both orders, and neither PyTorch nor dl-submit
// export is known to have written the file. REQUIRES: the file has the tensor `theirs`.
StatusOr<std::optional<ExchangedAxes>> AxesToExchange(const nn::LayerConfig& layer,
                                                      const std::string& tensor,
                                                      const SafetensorsFile& file,
                                                      const std::string& theirs);

}  // namespace dl::launch
