// Compiles the network of a checkpoint in this process under its kernel contract, and loads its
// weights. Used to evaluate, predict and generate text in a client.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "inference/checkpoint_reader.h"
#include "nn/network.h"

namespace dl::inference {

struct CheckpointModel {
  std::string kernel_contract;           // under which the network is compiled
  std::unique_ptr<nn::Network> network;  // for evaluation only
};

// Compiles checkpoint.spec.model and loads its tensors from the checkpoint. The model may be a part
// of the trained model (nn/conf/inner_model.h), so tensors are matched by name. Carried states
// begin as zeros. `contract` is the result of ContractOf for the checkpoint, or "" for the best
// contract of this machine. `batch` is the largest number of examples in one call. The network uses
// as many threads as a worker of the job. Fixes the instruction set of the process. Returns
// FailedPrecondition if this machine does not offer the contract or another instruction set is
// already fixed, and errors of launch::FixIsa and nn::Network::Create. `checkpoint` need not
// outlive the result.
StatusOr<CheckpointModel> CompileCheckpoint(const LoadedCheckpoint& checkpoint,
                                            const std::string& contract, int64_t batch);

}  // namespace dl::inference
