// What one unit takes of the memory of the executor that computes it: known from the job's
// documents, before anybody computes anything.
#pragma once

#include <cstdint>

#include "job/job_spec.h"

namespace dl::job {

// Of a dataset; zeros where there is none.
struct DataShape {
  int64_t examples = 0;
  int64_t blocks = 0;
  int64_t block_examples = 0;  // of the largest
  int64_t block_bytes = 0;     // likewise, decoded
  int64_t features = 0;        // values of an example, and of its labels
  int64_t targets = 0;
  int64_t labels = 1;
};

// In bytes, each an upper bound; none overflows.
struct UnitMemory {
  int64_t network = 0;  // parameters, gradients, updater state, activations, kernels
  int64_t states = 0;   // that it starts from and that it hands back, and a copy on the way
  int64_t batches = 0;  // minibatches: the one that is computed, those that are read ahead
  int64_t blocks = 0;   // decoded blocks of the shuffle window, and its order
  int64_t metrics = 0;  // confusion matrices

  int64_t Total() const { return network + states + batches + blocks + metrics; }
};

// The larger of a training and of an evaluation unit, part by part: one slot computes both with the
// same buffers.
UnitMemory UnitMemoryOf(const JobSpec& spec, const DataShape& train, const DataShape& test);

// The largest minibatches that can come: a short dataset gives no larger ones. At least 1.
struct LargestBatches {
  int64_t training = 1, evaluation = 1;
};
LargestBatches LargestBatchesOf(const TrainingConfig& training, const DataShape& train,
                                const DataShape& test);

}  // namespace dl::job
