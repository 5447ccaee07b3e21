// Turns a job spec into a job on a master: import, upload, submit, follow.
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
#include "launch/clusters/cluster.h"
#include "rpc/scheduling_fields.h"
#include "rpc/service.h"

namespace dl::launch {

struct ImportedJob {
  job::JobSpec spec;           // data by manifest, weights by blocks
  std::string train_manifest;  // text of the manifest: canonical JSON
  std::string test_manifest;   // likewise; empty without a test set
};

struct ImportOptions {
  // Folder of earlier imports by source fingerprint: DATA_DIR/imports. Empty: each source is read.
  std::string cache_dir;
  std::function<void(const std::string&)> progress;  // messages for users; may be empty
  // Set by a signal handler; the import then returns Cancelled.
  const std::atomic<bool>* stop = nullptr;
  // Memory for the rows of a source. More rows are written to a temporary file in `spill_dir`
  // (empty: TMPDIR, else /tmp), which needs up to twice their size. An import needs more memory
  // than this: up to 20 bytes for each example, and 50 MiB for the upload.
  int64_t memory_bytes = limits::kImportMemoryBytes;
  std::string spill_dir;
  // Receives sentences about the data ("t.csv: the label: ..."). If empty, `progress` gets them.
  std::function<void(const std::string&)> on_warning;
  // Receives the columns of a test set with categories that the training set lacks; may be empty.
  std::function<void(const std::vector<dataset::UnknownCategories>&)> on_unknown;
  // For a single dataset: the part of its examples, and the order in which a training set is
  // stored. ImportJob takes both from the job.
  std::optional<dataset::SplitPart> part;
  dataset::CutOrder order = dataset::CutOrder::kShuffled;
  // The model to be trained, or null. Labels that are sequences of classes are checked against its
  // steps. ImportJob sets it.
  const nn::ModelConfig* model = nullptr;
};

// Returns Cancelled after a stop was requested, OK before that.
Status CheckStop(const ImportOptions& options);

// Imports the datasets of the spec, and a file of weights, into blocks and uploads the blocks that
// the master lacks. An unchanged source is not read again if `cache_dir` has its earlier import and
// the master still has the blocks. The returned spec names no files. Its split, if any, became a
// training set and a test set. Errors:
//   - InvalidArgument, NotFound or DataLoss about a source, with its place in the spec, the file
//     and the position.
//   - InvalidArgument if data and model do not fit.
//   - ResourceExhausted if a disk is full.
//   - Cancelled after a stop was requested.
//   - errors of the master.
StatusOr<ImportedJob> ImportJob(const job::JobSpec& spec, const ImportOptions& options,
                                rpc::ClientService& client);

// Checks that the files of the spec can be found: those of its datasets, and its file of weights,
// whose header is read. Reads no data. Returns the errors that ImportJob would return for them.
Status CheckFiles(const job::JobSpec& spec);

// How values are shifted and scaled. A test set uses the values in the training manifest.
struct ImportNormalizers {
  job::NormalizerChoice features = job::NormalizerChoice::kNone;
  job::NormalizerChoice targets = job::NormalizerChoice::kNone;
  // For each number of a label, whether `targets` applies to it (job/target_scaling.h). Empty: to
  // every number.
  std::vector<bool> scaled_targets = {};
};
// Returns the normalizers of a job.
ImportNormalizers NormalizersOf(const job::JobSpec& spec);

// Imports a single dataset (dl-submit import) and returns its manifest as canonical JSON.
// `training_manifest` is the manifest of the training set if the dataset is its test set, else "".
// A reference to a manifest imports nothing: returns that manifest, or InvalidArgument if it does
// not agree with `normalizers` and `training_manifest`. Warns if `options.cache_dir` has the import
// of the training set and many examples are in both, unless both are the same in the same order.
// Other errors are those of ImportJob, without the place in the spec.
StatusOr<std::string> ImportDataset(const job::DatasetSpec& dataset,
                                    const ImportNormalizers& normalizers,
                                    const std::string& training_manifest,
                                    const ImportOptions& options, rpc::ClientService& client);

struct SubmitOptions {
  std::string resume_from, init_from;  // "JOB@ROUND"
  rpc::Scheduling scheduling;
  // Id of the request. The master answers a known id with the job that it has already created.
  // Empty: a new id.
  std::string request_id;
  std::function<Status()> health;  // Cluster::Health; may be empty
};
// Submits the job and returns the master's answer: the job's id, and which executors can compute
// it. If the master cannot be reached, retries for the time `limit` while the cluster is healthy.
// The request id stays the same, so that a request whose answer was lost creates no second job.
// Returns the error of the master: the last one if it could not be reached, any other error at
// once. Also returns the errors of `health` and of NewRequestId.
StatusOr<rpc::SubmitReply> SubmitJob(const ImportedJob& job, const SubmitOptions& options,
                                     rpc::ClientService& client, Duration limit);

struct FollowOptions {
  int64_t after = 0;  // sequence number of the last known event; 0: reports all events
  std::function<void(const Json& event)> on_event;  // every event, the result last
  const std::atomic<bool>* stop = nullptr;  // set by a signal handler: FollowJob returns Cancelled
  Duration unreachable_timeout =
      std::chrono::seconds(60);    // how long an unreachable master is waited for
  std::function<Status()> health;  // Cluster::Health; may be empty
  // Called with the reason when the master stops answering, and with OK when it answers again; may
  // be empty.
  std::function<void(const Status& contact)> on_contact;
  // Time after which FollowJob returns DeadlineExceeded, checked between calls of the master. 0: no
  // timeout.
  Duration timeout{};
};
// Follows the job to its end, also if the master restarts, and returns the result event. Errors:
//   - Cancelled after `stop`, DeadlineExceeded after `timeout`.
//   - the master's last error if it could not be reached for `unreachable_timeout`.
//   - any other error of the master at once, such as NotFound for an unknown job.
//   - InvalidArgument if an event is not JSON.
//   - the errors of `health`.
StatusOr<Json> FollowJob(const std::string& job, const FollowOptions& options,
                         rpc::ClientService& client);

// Returns a new request id of 128 random bits. Returns the errors of UniqueNumber.
StatusOr<std::string> NewRequestId();

}  // namespace dl::launch
