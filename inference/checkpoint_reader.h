// A checkpoint in the memory of a client. All commands that use trained models read it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "averaging/strategy.h"
#include "base/float_buffer.h"
#include "base/json.h"
#include "job/job_spec.h"
#include "rpc/service.h"

namespace dl::inference {

struct LoadedCheckpoint {
  std::string name;  // "JOB@ROUND"
  job::JobSpec spec;
  std::shared_ptr<const averaging::Strategy> strategy;
  struct Part {
    std::string key;
    const averaging::PartLayout* layout = nullptr;  // owned by `strategy`
    FloatBuffer values;  // empty if the checkpoint comes from DescribeCheckpoint
    std::string sha256;  // name of the part
  };
  // The requested parts. The part that evaluations use is first (StateLayout::evaluated). The
  // others follow in the order of the layout, parts of workers by worker number.
  std::vector<Part> parts;
  std::string state_sha256;  // hash of the names of all parts; equals the hash in the commit
  Json info;                 // entry of `dl-submit checkpoints --json`

  const Part& model() const { return parts.front(); }
};

// Returns the kernel contract under which the checkpoint's round was computed, or "" if the master
// reports none. For a resumed job of an older build, reads the contract from the round log, which
// may be long. Returns the errors of the queries and of ReadRoundLog, and an error for a record
// that this program cannot read.
StatusOr<std::string> ContractOf(const LoadedCheckpoint& checkpoint, rpc::ClientService& client);

enum class CheckpointContent {
  kModel,  // only the part that evaluations and predictions use
  kAll,    // all parts, including those of the updater, of stateful layers and of the strategy
};

// Loads checkpoint "JOB@ROUND". "JOB" and "JOB@last" name the newest checkpoint, and "JOB@best" the
// one with the best result on the test set, without those that a rollback set aside. Verifies that
// the names of all parts give the state that the round committed, and that each part that is read
// matches its name. Returns InvalidArgument if `name` has another form, NotFound if the job or
// checkpoint does not exist, DataLoss if the verification fails, and errors of the master, of
// JobFromText and of FloatBuffer::Create.
StatusOr<LoadedCheckpoint> LoadCheckpoint(const std::string& name, CheckpointContent content,
                                          rpc::ClientService& client);
// Works like LoadCheckpoint, but does not read the values of the parts, which stay empty. Verifies
// only the names of the parts.
StatusOr<LoadedCheckpoint> DescribeCheckpoint(const std::string& name, CheckpointContent content,
                                              rpc::ClientService& client);

}  // namespace dl::inference
