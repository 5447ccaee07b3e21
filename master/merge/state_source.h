// Where the state of a round comes from when no merge made it: the seed or a checkpoint.
#pragma once

#include <functional>
#include <string>

#include "base/status.h"
#include "master/merge/job_state.h"
#include "storage/checkpoint_store.h"

namespace dl::master {

// State 0: a function of the spec, and of the weights that it names; under `keep` all workers begin
// alike. It has no names yet, here and below.
StatusOr<RoundState> InitialState(const JobMaterial& material);

// All of a checkpoint. Errors: DataLoss when it is damaged, InvalidArgument when it is of another
// model, updater, strategy or number of workers.
StatusOr<RoundState> StateOfCheckpoint(storage::CheckpointStore& store, const std::string& manifest,
                                       const JobMaterial& material);

// Parameters and moments of a checkpoint of any job with the same layers; updater state begins at
// zero. `material_of` tells about the checkpoint's job.
StatusOr<RoundState> WeightsOfCheckpoint(
    storage::CheckpointStore& store, const std::string& manifest, const JobMaterial& material,
    const std::function<StatusOr<JobMaterial>(const std::string& job)>& material_of);

}  // namespace dl::master
