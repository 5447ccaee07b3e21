// What an executor knows of a job, made once from the master's documents and shared by all its
// units.
#pragma once

#include <list>
#include <memory>
#include <string>

#include "averaging/strategy.h"
#include "base/mutex.h"
#include "dataset/augmentation.h"
#include "dataset/dataset.h"
#include "dataset/plan.h"
#include "job/job_spec.h"
#include "rpc/messages_fwd.h"
#include "rpc/service.h"

namespace dl::executor {

// Immutable.
struct JobContext {
  std::string id;
  job::JobSpec spec;
  std::string spec_sha256;  // of its text
  std::shared_ptr<const averaging::Strategy> strategy;
  dataset::PlanInput plan;
  std::shared_ptr<const dataset::Dataset> train;
  std::shared_ptr<const dataset::Dataset> test;               // null without a test set
  std::shared_ptr<const dataset::Augmentation> augmentation;  // of `train`; null: none
  nn::JobLength length;                                       // of schedules

  const averaging::StateLayout& layout() const { return strategy->layout(); }
};

// Errors: InvalidArgument when a document is wrong (a bug or a version mismatch).
StatusOr<std::shared_ptr<const JobContext>> MakeJobContext(
    const std::string& id, const rpc::FetchJobReply& documents,
    std::shared_ptr<dataset::DecodedBlockCache> blocks);

// Thread-safe. Keeps the jobs that were used last, one of a name.
class JobContexts {
 public:
  JobContexts(rpc::ExecutorService& master, std::shared_ptr<dataset::DecodedBlockCache> blocks)
      : master_(master), blocks_(std::move(blocks)) {}
  // The job of this name whose spec has this SHA-256. Unavailable: the master that answers has
  // another one by that name.
  StatusOr<std::shared_ptr<const JobContext>> Get(const std::string& job,
                                                  const std::string& spec_sha256, uint64_t session)
      DL_EXCLUDES(mutex_);

 private:
  std::shared_ptr<const JobContext> Find(const std::string& job, const std::string& spec_sha256)
      DL_REQUIRES(mutex_);

  rpc::ExecutorService& master_;
  std::shared_ptr<dataset::DecodedBlockCache> blocks_;  // shared with the datasets
  Mutex mutex_;
  std::list<std::shared_ptr<const JobContext>> jobs_ DL_GUARDED_BY(mutex_);  // newest use first
};

}  // namespace dl::executor
