// Memory that one unit needs on the executor that computes it. It is computed from the job's
// documents before anything runs.
#pragma once

#include <cstdint>

#include "job/job_spec.h"

namespace dl::job {

// Sizes of a dataset. The default values stand for no dataset.
struct DataShape {
  int64_t examples = 0;        // number of examples
  int64_t blocks = 0;          // number of blocks
  int64_t block_examples = 0;  // examples of the largest block
  int64_t block_bytes = 0;     // bytes of the largest block, decoded
  // Number of values that a minibatch holds for each example, 4 bytes each:
  int64_t features = 0;  // all elements of feature_shape
  int64_t targets = 0;   // numbers to predict, of all steps
  int64_t labels = 1;    // labels that are classes, such as one for each step
  int64_t others = 0;    // length and weight, if examples have them
};

// Upper bounds in bytes. None overflows.
struct UnitMemory {
  int64_t network = 0;  // parameters, gradients, updater state, activations, kernels
  int64_t states = 0;   // the input state, the result, and copies of them
  int64_t batches = 0;  // the current minibatch and prefetch_batches further minibatches
  int64_t blocks = 0;   // decoded blocks of the shuffle window, and the order of their examples
  int64_t metrics = 0;  // confusion matrices and counts of scores

  int64_t Total() const { return network + states + batches + blocks + metrics; }
};

// Returns the memory that a slot needs to compute any unit of the job. Each member is enough for a
// training unit and for an evaluation unit, because a slot computes both in the same buffers.
// `test` has the default values if there is no test set.
UnitMemory UnitMemoryOf(const JobSpec& spec, const DataShape& train, const DataShape& test);

// Largest minibatches that can occur, at least 1. A short dataset limits them.
struct LargestBatches {
  int64_t training = 1, evaluation = 1;
};
// Returns the largest minibatches of a job. `test` is as in UnitMemoryOf.
LargestBatches LargestBatchesOf(const TrainingConfig& training, const DataShape& train,
                                const DataShape& test);

}  // namespace dl::job
