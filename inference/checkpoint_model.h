// Builds the network of a checkpoint in this process, with its weights. Clients use it to evaluate,
// predict and generate text.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "inference/checkpoint_reader.h"
#include "nn/network.h"

namespace dl::inference {

struct CheckpointModel {
  std::string kernel_contract;           // the contract under which the network was compiled
  std::unique_ptr<nn::Network> network;  // for evaluation only
};

// Compiles checkpoint.spec.model for evaluation, and loads its weights from checkpoint.model(). The
// model may be a part of the trained model (nn/conf/inner_model.h), so tensors are found by name.
// Carried states are not loaded; they begin as zeros. `contract` is the result of ContractOf for
// the checkpoint, or "" for the best contract of this machine that has the job's kernel set and
// precision. `batch` is the largest number of examples in one call of the network. The network uses
// as many threads as a worker of the job. `checkpoint` need not outlive the result.
//
// Fixes the instruction set of the process. Returns FailedPrecondition if this machine does not
// offer the contract, or if the process already has another instruction set. Also returns the
// errors of launch::FixIsa and nn::Network::Create. REQUIRES: the checkpoint comes from
// LoadCheckpoint, so it has values.
StatusOr<CheckpointModel> CompileCheckpoint(const LoadedCheckpoint& checkpoint,
                                            const std::string& contract, int64_t batch);

}  // namespace dl::inference
