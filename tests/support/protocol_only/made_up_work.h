// Units that nobody computes: results that are made up, and that a master takes because all that it
// can check of them is right.
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

// A job whose round has exactly `workers` units of one example. Its epoch has `rounds` rounds. No
// unit is computed twice on purpose.
struct MadeUpJobOptions {
  int64_t workers = 100;
  int64_t rounds = 5;
};
// `prefix`: where its data is written.
StatusOr<job::JobSpec> MadeUpJob(const std::string& prefix, const MadeUpJobOptions& options);

struct MadeUpResult {
  rpc::AnnounceRequest announcement;  // without session and lease
  std::vector<float> state;
};

// What every executor of a process knows of a job. Immutable.
class MadeUpWork {
 public:
  // Reads every example once an epoch; `blocks` is not needed behind that.
  static StatusOr<std::shared_ptr<MadeUpWork>> Create(const std::string& job,
                                                      const rpc::FetchJobReply& documents,
                                                      dataset::BlockSource& blocks);

  // Depends on unit and base alone, and differs between any two of them.
  StatusOr<MadeUpResult> ResultOf(const rpc::Lease& lease, std::span<const float> base) const;
  int64_t state_values() const { return job_->layout().model().table.size(); }

 private:
  explicit MadeUpWork(std::shared_ptr<const executor::JobContext> job) : job_(std::move(job)) {}
  Status ReadEpoch(int64_t epoch);

  const std::shared_ptr<const executor::JobContext> job_;  // shared with what made it
  // Of each epoch: sums of the hashes of its first examples, from none to all.
  std::vector<std::vector<uint64_t>> hash_sums_;
};

}  // namespace dl::test
