// A checkpoint measured here and now, by the engine of this process under the kernel contract of
// its job: what dl-submit evaluate does.
#pragma once

#include <string>

#include "base/json_fwd.h"
#include "base/status.h"
#include "launch/checkpoint_reader.h"
#include "rpc/service.h"

namespace dl::launch {

// The examples of `manifest` (canonical JSON) in stored order, in batches of the job's evaluation;
// blocks come from the master.
// {"examples","loss","kernel_contract","accuracy","confusion":[[…]],"classes":[{"class","name","examples","precision","recall"}]};
// the last three for classifiers only. Sums are integers: the figures do not depend on who computes
// them, within one kernel contract. Fixes the process's instruction set. Errors: InvalidArgument
// when model and data do not fit, FailedPrecondition when this machine does not offer the contract,
// DataLoss for a damaged block.
StatusOr<Json> EvaluateCheckpoint(const LoadedCheckpoint& checkpoint, const std::string& manifest,
                                  rpc::ClientService& client);

}  // namespace dl::launch
