// Compares the training set of a new job with that of the job whose checkpoint it starts from.
#pragma once

#include <string>
#include <vector>

#include "launch/submission.h"
#include "rpc/service.h"

namespace dl::launch {

// Returns sentences about how the training set differs from that of the checkpoint's job: other
// classes, other features, or the same ones in another order. The inputs and outputs of the model
// then have another meaning than the weights have learned. `train_manifest` is the new job's.
// Returns nothing if the job starts from no checkpoint, or if the master does not give the other
// manifest.
std::vector<std::string> DifferencesFromCheckpoint(const SubmitOptions& options,
                                                   const std::string& train_manifest,
                                                   rpc::ClientService& client);

}  // namespace dl::launch
