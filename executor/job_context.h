// Description of a job for an executor. Made from the master's documents, and shared by the units
// of the job while JobContexts caches it.
#pragma once

#include <list>
#include <memory>
#include <string>

#include "averaging/strategy.h"
#include "base/mutex.h"
#include "dataset/dataset.h"
#include "dataset/image_augmentation.h"
#include "dataset/plan.h"
#include "job/job_spec.h"
#include "rpc/messages_fwd.h"
#include "rpc/service.h"

namespace dl::executor {

// Immutable.
struct JobContext {
  std::string id;
  job::JobSpec spec;
  std::string spec_sha256;  // of the spec's text
  std::shared_ptr<const averaging::Strategy> strategy;
  dataset::PlanInput plan;
  std::shared_ptr<const dataset::Dataset> train;
  std::shared_ptr<const dataset::Dataset> test;               // null without a test set
  std::shared_ptr<const dataset::Augmentation> augmentation;  // for `train`; null: none
  nn::JobLength length;                                       // for learning rate schedules

  const averaging::StateLayout& layout() const { return strategy->layout(); }
};

// Returns the errors of the readers of the documents (JobFromText, ManifestFromJson) and of the
// functions that make the members, such as Augmentation::Create, if a document is wrong. This means
// a bug or a version mismatch. Returns Unavailable (fault: master) if a manifest is not the one
// that the spec names.
StatusOr<std::shared_ptr<const JobContext>> MakeJobContext(
    const std::string& id, const rpc::FetchJobReply& documents,
    std::shared_ptr<dataset::DecodedBlockCache> blocks);

// Thread-safe. Caches the limits::kMaxOpenJobs most recently used jobs, at most one per job name.
class JobContexts {
 public:
  // `master` must outlive the object.
  JobContexts(rpc::ExecutorService& master, std::shared_ptr<dataset::DecodedBlockCache> blocks)
      : master_(master), blocks_(std::move(blocks)) {}
  // Returns the job with this name and this SHA-256 of the spec. Fetches it from the master if it
  // is not cached. Returns Unavailable if the master has a different job under this name, and the
  // errors of FetchJob and MakeJobContext. Errors of the master carry a fault (executor/fault.h).
  StatusOr<std::shared_ptr<const JobContext>> Get(const std::string& job,
                                                  const std::string& spec_sha256, uint64_t session)
      DL_EXCLUDES(mutex_);

 private:
  std::shared_ptr<const JobContext> Find(const std::string& job, const std::string& spec_sha256)
      DL_REQUIRES(mutex_);

  rpc::ExecutorService& master_;
  std::shared_ptr<dataset::DecodedBlockCache> blocks_;  // shared with the datasets
  Mutex mutex_;
  // Most recently used first.
  std::list<std::shared_ptr<const JobContext>> jobs_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::executor
