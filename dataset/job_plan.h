// From a job's spec to the plan's inputs: the one place where master and executors agree on what a
// job's numbers mean.
#pragma once

#include <string>

#include "dataset/epoch_order.h"
#include "dataset/manifest.h"
#include "dataset/plan.h"
#include "job/job_spec.h"
#include "job/unit_memory.h"

namespace dl::dataset {

PlanInput TrainingPlan(const job::TrainingConfig& training, int64_t examples);
// The units of an evaluation are of fixed size, so they are the same whatever the cluster is. Of a
// stateful model it is one unit, in which each row goes on from minibatch to minibatch.
EvaluationPlanInput EvaluationPlan(const job::JobSpec& spec, int64_t test_examples);
EpochOrderKey OrderOfEpoch(const job::JobSpec& spec, int64_t epoch);
// The stored order; of a stateful model a stream of `batch_size` lanes.
EpochOrderKey OrderOfEvaluation(const job::JobSpec& spec, int64_t batch_size);
// The order in which an import has to store the training set of the job.
CutOrder TrainingCutOrder(job::ShuffleMode shuffle);
// InvalidArgument, with `where`: the job reads the dataset as a stream, and its import shuffled it.
Status CheckStreamOrder(const Manifest& manifest, const std::string& where);
// How many updates the updater's state will have seen with step `step` (0-based) of the round: what
// Adam corrects its bias by. `earlier`: those before the job began, when it began from the full
// state of another. Under `reset` the state begins anew in every round.
int64_t UpdateCount(const job::TrainingConfig& training, int64_t earlier,
                    const RoundPosition& position, int64_t step);
// What a job needs to know of such a dataset to judge whether model and data fit.
job::DatasetSummary SummaryOf(const Schema& schema, int64_t examples);

// The sizes of a dataset that decide how much of it a unit has in memory.
job::DataShape DataShapeOf(const Manifest& manifest);

}  // namespace dl::dataset
