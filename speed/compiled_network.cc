#include "speed/compiled_network.h"

#include <algorithm>

#include "base/float_buffer.h"
#include "nn/conf/sequential.h"
#include "nn/kernel_contract.h"
#include "speed/measured_steps.h"
#include "speed/step_data.h"

namespace dl::speed {
namespace {

// Makes a step of a small network. Without AVX-512, oneDNN generates the code of matrix products
// when it first computes one, about 3 MiB.
Status GenerateProducts() {
  DL_ASSIGN_OR_RETURN(const nn::ModelConfig model,
                      nn::Sequential("products")
                          .Updater(nn::Sgd(0))
                          .Input(nn::FeedForward(32))
                          .Layer(nn::Dense(32))
                          .Layer(nn::Output(32).Loss(nn::SoftmaxCrossEntropy()))
                          .Build());
  constexpr int64_t kExamples = 32;
  const StepData data(model, {.examples = kExamples});
  DL_ASSIGN_OR_RETURN(const auto network, nn::Network::Create(model, {.max_batch = kExamples}));
  return network->TrainStep(data.Of(0), {}).status();
}

}  // namespace

StatusOr<CompiledNetwork> CompileNetwork(const nn::ModelConfig& model,
                                         const nn::NetworkOptions& options) {
  const auto mapped = static_cast<int64_t>(FloatBuffer::MappedBytes());
  const ResidentGrowth growth;
  DL_ASSIGN_OR_RETURN(const nn::Isa isa, nn::ProcessIsa());
  if (isa == nn::Isa::kAvx2) DL_RETURN_IF_ERROR(GenerateProducts());
  DL_ASSIGN_OR_RETURN(const auto network, nn::Network::Create(model, options));
  const nn::Network::Buffers buffers = network->buffers();
  // The network has accessed no buffer, except the copies of its weights, which are still zero.
  NetworkMemory memory{.arena = buffers.arena,
                       .kernels = std::max<int64_t>(0, growth.Bytes() - buffers.weight_copies)};
  memory.tensors = static_cast<int64_t>(FloatBuffer::MappedBytes()) - mapped - memory.arena;
  return CompiledNetwork{.memory = memory, .kernels = network->Kernels()};
}

}  // namespace dl::speed
