#include "inference/checkpoint_model.h"

#include <span>
#include <vector>

#include "launch/kernel_contracts.h"
#include "launch/process_setup.h"
#include "nn/conf/contract_id.h"

namespace dl::inference {

StatusOr<CheckpointModel> CompileCheckpoint(const LoadedCheckpoint& checkpoint,
                                            const std::string& contract, int64_t batch) {
  DL_ASSIGN_OR_RETURN(const std::string isa, launch::IsaOfContract(contract));
  DL_ASSIGN_OR_RETURN(const std::vector<rpc::OfferedContract> offered, launch::FixIsa(isa));
  CheckpointModel model{.kernel_contract = contract, .network = {}};
  const job::TrainingConfig& training = checkpoint.spec.training;
  for (const rpc::OfferedContract& offer : offered) {
    const bool portable = nn::KernelSetOf(offer.contract) == nn::KernelSet::kPortable;
    const bool suits = training.kernels == nn::KernelSet::kPortable
                           ? portable
                           : nn::ComputesIn(offer.isa, training.precision);
    if (contract.empty() && suits) model.kernel_contract = offer.contract;
  }
  DL_ASSIGN_OR_RETURN(model.network,
                      nn::Network::Create(checkpoint.spec.model,
                                          {.max_batch = 0,
                                           .max_evaluation_batch = batch,
                                           .threads = static_cast<int>(training.threads_per_worker),
                                           .precision = training.precision,
                                           .kernels = training.kernels}));
  // A prediction reads only the model. Tensors are matched by name, because the model may be a part
  // of the checkpoint's model.
  const LoadedCheckpoint::Part& stored = checkpoint.model();
  std::vector<SegmentSpan> stretches;
  for (const Segment& segment : model.network->table().segments()) {
    const Segment* const found = stored.layout->table.Find(segment.name);
    if (found == nullptr) continue;  // carried states, which begin as zeros
    stretches.push_back(
        {segment.offset,
         stored.layout->table.View(*found, std::span<const float>(stored.values.span()))});
  }
  DL_RETURN_IF_ERROR(model.network->Load(stretches));
  return model;
}

}  // namespace dl::inference
