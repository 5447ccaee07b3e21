// The jobs of the invariance tests. Each is small, but together they use everything that could
// change a result.
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
std::string ToString(SampleJob job);  // for example "MlpAverage"

struct SampleOptions {
  SampleJob job = SampleJob::kMlpAverage;
  int64_t epochs = 2;
};
// Returns the spec and writes its data into `folder`. The sizes do not divide evenly: the last
// batches are short, and some workers are idle in a round.
job::JobSpec MakeSample(const TempFolder& folder, const SampleOptions& options);

}  // namespace dl::test
