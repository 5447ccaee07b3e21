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
  // of a window are adjacent in both tensors, so the caller needs only the index of the first one.
  // REQUIRES: `mine` is a multiple of `kernel`.
  int64_t TheirsOf(int64_t mine) const;
};

// Finds out in which order a file stores the values of the tensor `tensor` of `layer`. The file has
// this tensor under the name `theirs`. Returns the axes to exchange if the order is PyTorch's.
// Returns nullopt if the axes need no exchange, in these cases:
//   - The tensor is not the weight of a transposed convolution.
//   - The layer shares the weight of another layer, which owns the tensor.
//   - The shape in the file is not the shape in PyTorch's order. The caller checks other shapes.
//   - A group has one filter and one channel.
//   - The shape fits both orders, and dl-submit export wrote the file.
// Returns InvalidArgument if the shape fits both orders, and neither PyTorch nor dl-submit export
// is known to have written the file. REQUIRES: the file has the tensor `theirs`.
StatusOr<std::optional<ExchangedAxes>> AxesToExchange(const nn::LayerConfig& layer,
                                                      const std::string& tensor,
                                                      const SafetensorsFile& file,
                                                      const std::string& theirs);

}  // namespace dl::launch
