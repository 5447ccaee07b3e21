// Makes up results of units without computing anything. The master accepts them, because everything
// that the master can check is correct.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "executor/job_context.h"
#include "job/job_spec.h"
#include "rpc/messages.h"
#include "rpc/service.h"
#include "tests/support/temp_folder.h"

namespace dl::test {

// Options of a job whose rounds have exactly `workers` units of one example. Its epoch has `rounds`
// rounds. Verification is off: no unit is computed twice on purpose.
struct SyntheticJobOptions {
  int64_t workers = 100;
  int64_t rounds = 5;
};
// Creates the job. Its data is written to files whose paths begin with `prefix`.
StatusOr<job::JobSpec> SyntheticJob(const std::string& prefix, const SyntheticJobOptions& options);

struct SyntheticResult {
  rpc::AnnounceRequest announcement;  // without session and lease
  std::vector<float> state;
};

// The knowledge about a job that all executors of a process share. Immutable.
class SyntheticWork {
 public:
  // Reads every example of an epoch once. `blocks` is not used after the call.
  static StatusOr<std::shared_ptr<SyntheticWork>> Create(const std::string& job,
                                                         const rpc::FetchJobReply& documents,
                                                         dataset::BlockSource& blocks);

  // Returns a result that depends only on the unit and the base. The results of two different units
  // or bases differ.
  StatusOr<SyntheticResult> ResultOf(const rpc::Lease& lease, std::span<const float> base) const;
  int64_t state_values() const { return job_->layout().model().table.size(); }

 private:
  explicit SyntheticWork(std::shared_ptr<const executor::JobContext> job) : job_(std::move(job)) {}
  Status ReadEpoch(int64_t epoch);

  const std::shared_ptr<const executor::JobContext> job_;  // shared with the caller of the
                                                           // constructor
  // Per epoch: sums of the hashes of the first n examples, from n = 0 to all examples.
  std::vector<std::vector<uint64_t>> hash_sums_;
};

}  // namespace dl::test
