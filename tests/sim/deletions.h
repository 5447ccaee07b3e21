// Jobs that are submitted in order to be deleted: by users, with deadlines shorter than a write,
// and by retention, while other actions on the same jobs are in progress.
#pragma once

#include <string>
#include <vector>

#include "tests/sim/sim_cluster.h"

namespace dl::sim {

class Deletions {
 public:
  struct Options {
    Cluster* cluster = nullptr;
    RandomStream random{{}};
  };
  explicit Deletions(Options options) : options_(std::move(options)), cluster_(*options_.cluster) {}

  void Begin(Instant peace);
  // Cancels these jobs, so that the other jobs need not wait for their ends.
  void CancelAll();

 private:
  void Next();
  void SubmitOne();
  void ActOn(const std::string& id);
  // Deletes the job, and soon afterwards requests another action on it.
  void DeleteAndAct(const std::string& id, const master::Job& job);
  Duration UpTo(Duration longest);

  Options options_;
  Cluster& cluster_;
  Instant peace_;
  int64_t submitted_ = 0;
  std::vector<std::string> ids_;  // ids of acknowledged submissions
};

}  // namespace dl::sim
