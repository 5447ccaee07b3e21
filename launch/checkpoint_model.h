// A checkpoint's network, compiled in this process under its kernel contract: what evaluates,
// predicts and writes texts here.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "launch/checkpoint_reader.h"
#include "nn/network.h"

namespace dl::launch {

struct CheckpointModel {
  std::string kernel_contract;
  std::unique_ptr<nn::Network> network;  // it only evaluates
};

// Compiles checkpoint.spec.model, which may be a part of the model that was trained
// (nn/conf/inner_model.h): tensors are those of the same names. `contract`: ContractOf the
// checkpoint; "" for the best here. `batch`: the most examples of a call. Fixes the process's
// instruction set. FailedPrecondition when this machine does not offer the contract.
StatusOr<CheckpointModel> CompileCheckpoint(const LoadedCheckpoint& checkpoint,
                                            const std::string& contract, int64_t batch);

}  // namespace dl::launch
