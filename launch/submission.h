// From a user's job spec to a job on a master: import, upload, submit, follow.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json_fwd.h"
#include "base/limits.h"
#include "base/status.h"
#include "dataset/manifest.h"
#include "dataset/readers/read_options.h"
#include "dataset/split.h"
#include "job/job_spec.h"
#include "launch/cluster.h"
#include "rpc/scheduling_fields.h"
#include "rpc/service.h"

namespace dl::launch {

struct ImportedJob {
  job::JobSpec spec;  // data by manifest, weights by blocks
  std::string train_manifest;
  std::string test_manifest;  // empty without a test set
};

struct ImportOptions {
  std::string cache_dir;  // remembers imports by source fingerprint: DATA_DIR/imports
  std::function<void(const std::string&)> progress;  // lines for people; may be empty
  const std::atomic<bool>* stop = nullptr;  // set by a signal handler: the import is Cancelled
  // What the rows of a source may take; more of them lie in a temporary file in `spill_dir` (empty:
  // TMPDIR, else /tmp), which needs up to twice their size. Beside that an example takes up to 20
  // bytes, and an upload 50 MiB.
  int64_t memory_bytes = limits::kImportMemoryBytes;
  std::string spill_dir;
  // Gets the columns of a test set that have categories which the training set lacks; may be empty.
  std::function<void(const std::vector<dataset::UnknownCategories>&)> on_unknown;
  // For a dataset alone: the part of its files' examples, and the order in which a training set is
  // stored. ImportJob takes both from the job.
  std::optional<dataset::SplitPart> part;
  dataset::CutOrder order = dataset::CutOrder::kShuffled;
  // The model that will be trained, or null. Labels that are sequences of classes are checked
  // against its steps. ImportJob sets it.
  const nn::ModelConfig* model = nullptr;
};

// Cancelled, once its stop was asked for.
Status CheckStop(const ImportOptions& options);

// Imports the datasets of the spec, and a file of weights, into blocks and uploads what the master
// lacks. A source that was imported before, unchanged, and whose blocks the master has is not read
// again. Errors: InvalidArgument/DataLoss with file and position.
StatusOr<ImportedJob> ImportJob(const job::JobSpec& spec, const ImportOptions& options,
                                rpc::ClientService& client);

// How values are shifted and scaled. A test set takes the values of the training manifest.
struct ImportNormalizers {
  job::NormalizerChoice features = job::NormalizerChoice::kNone;
  job::NormalizerChoice targets = job::NormalizerChoice::kNone;
  // For each number of a label whether `targets` applies to it (job/target_scaling.h). Empty: to
  // every number.
  std::vector<bool> scaled_targets = {};
};
ImportNormalizers NormalizersOf(const job::JobSpec& spec);

// The dataset alone (dl-submit import); the manifest as canonical JSON.
StatusOr<std::string> ImportDataset(const job::DatasetSpec& dataset,
                                    const ImportNormalizers& normalizers,
                                    const std::string& training_manifest,
                                    const ImportOptions& options, rpc::ClientService& client);

struct SubmitOptions {
  std::string resume_from, init_from;  // "JOB@ROUND"
  rpc::Scheduling scheduling;
  // Under which the master takes it once, whoever asks again; empty: a new one.
  std::string request_id;
  std::function<Status()> health;  // Cluster::Health; may be empty
};
// Retries with one request id until `limit`, while the cluster is in health: a lost answer never
// makes a second job. The master's answer: the job's id, and who may compute it.
StatusOr<rpc::SubmitReply> SubmitJob(const ImportedJob& job, const SubmitOptions& options,
                                     rpc::ClientService& client, Duration limit);

struct FollowOptions {
  int64_t after = 0;
  std::function<void(const Json& event)> on_event;  // every event, the result last
  const std::atomic<bool>* stop = nullptr;  // set by a signal handler: Follow returns Cancelled
  Duration patience = std::chrono::seconds(60);  // an unreachable master is waited for so long
  std::function<Status()> health;                // Cluster::Health; may be empty
  // Told why when the master stops answering, and OK when it answers again; may be empty.
  std::function<void(const Status& contact)> on_contact;
  Duration timeout{};  // 0: none; else DeadlineExceeded
};
// Follows the job to its result, across restarts of the master; returns the result event.
StatusOr<Json> FollowJob(const std::string& job, const FollowOptions& options,
                         rpc::ClientService& client);

// A request id that no other process ever uses.
StatusOr<std::string> NewRequestId();

}  // namespace dl::launch
