// Sources of a round's state other than a merge: the seed or a checkpoint.
#pragma once

#include <functional>
#include <string>

#include "base/status.h"
#include "master/merge/round_state.h"
#include "storage/checkpoint_store.h"

namespace dl::master {

// Returns state 0, which is a function of the spec and of the weights that it names. With the
// policy `keep`, all workers begin with equal state. Returns the errors of
// JobMaterial::initial_state. All functions here return a state without names, and
// ResourceExhausted or Unavailable if memory is short.
StatusOr<RoundState> InitialState(const JobMaterial& material);

// Returns the complete state of a checkpoint. Returns DataLoss if it is damaged, and
// InvalidArgument if its parts differ in number, name or size from those of the job. Segment tables
// are not compared.
StatusOr<RoundState> StateOfCheckpoint(storage::CheckpointStore& store, const std::string& manifest,
                                       const JobMaterial& material);

// Returns a state with the parameters and batch-norm moments of a checkpoint of any job with the
// same layers. If that job keeps an average of the model (StateLayout::evaluated), takes the values
// of the average. All other parts are zero, except an average of the model in the new job, which
// begins with the model. `material_of` returns the material of the checkpoint's job. Returns
// InvalidArgument if the layers differ, DataLoss if the checkpoint is damaged, and errors of
// `material_of`.
StatusOr<RoundState> WeightsOfCheckpoint(
    storage::CheckpointStore& store, const std::string& manifest, const JobMaterial& material,
    const std::function<StatusOr<JobMaterial>(const std::string& job)>& material_of);

}  // namespace dl::master
