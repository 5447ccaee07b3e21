#include "launch/checkpoint_model.h"

#include <span>

#include "launch/kernel_contracts.h"
#include "launch/process_setup.h"

namespace dl::launch {

StatusOr<CheckpointModel> CompileCheckpoint(const LoadedCheckpoint& checkpoint,
                                            const std::string& contract, int64_t batch) {
  DL_ASSIGN_OR_RETURN(const std::string isa, IsaOfContract(contract));
  std::string offered;
  DL_RETURN_IF_ERROR(FixIsa(isa, offered).status());
  CheckpointModel model{.kernel_contract = contract.empty() ? offered : contract, .network = {}};
  DL_ASSIGN_OR_RETURN(
      model.network,
      nn::Network::Create(
          checkpoint.spec.model,
          {.max_batch = 0,
           .max_evaluation_batch = batch,
           .threads = static_cast<int>(checkpoint.spec.training.threads_per_worker)}));
  // A prediction reads nothing else.
  const Stretch parameters{0, checkpoint.model().values.span()};
  DL_RETURN_IF_ERROR(model.network->Load(std::span(&parameters, 1)));
  return model;
}

}  // namespace dl::launch
