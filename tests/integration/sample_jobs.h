// The jobs of the invariance tests: small, but each with everything that could make a difference.
#pragma once

#include <string>

#include "job/job_spec.h"
#include "tests/support/temp_folder.h"

namespace dl::test {

enum class SampleJob {
  kMlpAverage,
  kMlpReset,
  kCnnKeep,
  kMlpOuter,
  kCnnOuterKeep,
  kCnnEma,
  kLstm,
  kStatefulLstm,
  kTransformer,
  kVariableLength,
  kMaskedText,
  kVae,
  kHalves,  // several inputs, shared weights
  kTasks,   // several outputs
};
std::string ToString(SampleJob job);  // "MlpAverage"

struct SampleOptions {
  SampleJob job = SampleJob::kMlpAverage;
  int64_t epochs = 2;
};
// Writes its data into `folder`. Sizes that do not divide: the last batches are short and a round
// has idle workers.
job::JobSpec MakeSample(const TempFolder& folder, const SampleOptions& options);

}  // namespace dl::test
