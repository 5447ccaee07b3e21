#include "speed/measured_memory.h"

#include <algorithm>

#include "base/float_buffer.h"
#include "speed/measured_steps.h"

namespace dl::speed {

StatusOr<NetworkMemory> MeasureNetworkMemory(const nn::ModelConfig& model,
                                             const nn::NetworkOptions& options) {
  const auto mapped = static_cast<int64_t>(FloatBuffer::MappedBytes());
  const ResidentGrowth growth;
  DL_ASSIGN_OR_RETURN(const auto network, nn::Network::Create(model, options));
  const nn::Network::Buffers buffers = network->buffers();
  // The network has accessed no buffer, except the copies of its weights, which are still zero.
  NetworkMemory memory{.arena = buffers.arena,
                       .kernels = std::max<int64_t>(0, growth.Bytes() - buffers.weight_copies)};
  memory.tensors = static_cast<int64_t>(FloatBuffer::MappedBytes()) - mapped - memory.arena;
  return memory;
}

}  // namespace dl::speed
