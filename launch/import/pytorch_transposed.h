// Maps the weights of a transposed convolution to those of PyTorch's nn.ConvTranspose2d. PyTorch
// stores [channels, filters / groups, height, width], where our layers have [filters, channels /
// groups, height, width]. If channels and filters are equal, the shape does not show the layout.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"
#include "launch/import/safetensors_file.h"
#include "nn/conf/layer_config.h"

namespace dl::launch {

// The first two axes of a tensor of PyTorch's, which are exchanged within each group. `filters` and
// `channels` are numbers in a group.
struct ExchangedAxes {
  int64_t filters = 0, channels = 0;
  int64_t kernel = 0;  // values of the window: height * width

  // Returns the index in PyTorch's tensor of our element `mine`, whose `kernel` values follow it in
  // both tensors. REQUIRES: `mine` is a multiple of `kernel`.
  int64_t TheirsOf(int64_t mine) const;
};

// Returns the axes to exchange for `tensor` ("weight") of `layer`, which the file stores as
// `theirs`. Returns nullopt if the values have our order: for other layers and
// tensors, for other shapes, and in files of dl-submit export. Returns InvalidArgument if neither
// the shape nor the file shows the layout. REQUIRES: the file has the tensor `theirs`.
StatusOr<std::optional<ExchangedAxes>> AxesToExchange(const nn::LayerConfig& layer,
                                                      const std::string& tensor,
                                                      const SafetensorsFile& file,
                                                      const std::string& theirs);

}  // namespace dl::launch
