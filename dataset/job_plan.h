// Computes the inputs of the plan from a job's spec, for master and executors alike.
#pragma once

#include <string>

#include "dataset/epoch_order.h"
#include "dataset/manifest.h"
#include "dataset/plan.h"
#include "job/job_spec.h"
#include "job/unit_memory.h"

namespace dl::dataset {

// Returns the plan of the training epochs. `examples` is the size of the training set.
PlanInput TrainingPlan(const job::TrainingConfig& training, int64_t examples);
// Returns the plan of an evaluation. A unit has a fixed number of minibatches, so units do not
// depend on the cluster. A stateful model has one unit, in which each row continues from minibatch
// to minibatch.
EvaluationPlanInput EvaluationPlan(const job::JobSpec& spec, int64_t test_examples);
// Returns the key of the training order of an epoch.
EpochOrderKey OrderOfEpoch(const job::JobSpec& spec, int64_t epoch);
// Returns the key of the stored order, or for a stateful model that of a stream with `batch_size`
// lanes.
EpochOrderKey OrderOfEvaluation(const job::JobSpec& spec, int64_t batch_size);
// Returns the order in which an import must store the training set of the job.
CutOrder TrainingCutOrder(job::ShuffleMode shuffle);
// Returns InvalidArgument with the place `where` if the import of the dataset shuffled its
// examples. Must be called for jobs that read the dataset as a stream.
Status CheckStreamOrder(const Manifest& manifest, const std::string& where);
// Returns the number of updates that the updater's state has seen after step `step` (0-based) of
// the round. Adam corrects its bias with it. Each earlier round counts with the largest number of
// steps of a worker. `earlier` counts updates before the job began, if it began from the full state
// of another job. With UpdaterState::kReset, only the steps of the round count.
int64_t UpdateCount(const job::TrainingConfig& training, int64_t earlier,
                    const RoundPosition& position, int64_t step);
// Returns the properties of a dataset from which a job checks whether model and data fit.
job::DatasetSummary SummaryOf(const Schema& schema, int64_t examples);

// Returns the sizes of a dataset that determine how much of it a unit holds in memory.
job::DataShape DataShapeOf(const Manifest& manifest);

}  // namespace dl::dataset
