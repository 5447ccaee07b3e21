// Writes the figures of a job for TensorBoard, and keeps the file up to date while the job runs.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "base/status.h"
#include "cli/tensorboard/event_file.h"
#include "cli/tensorboard/round_events.h"
#include "rpc/service.h"

namespace dl::cli {

// The file has the settings and the spec of the job as texts, its settings as hyperparameters, and
// the scalars of each round that counts. It has the histograms of layers, if the job records them.
// If the data consists of images, it also has pictures of examples. Not thread-safe.
class JobExport {
 public:
  // `client` must outlive the object. `folder` is the folder of all runs.
  JobExport(rpc::ClientService& client, const std::string& job, const std::string& folder)
      : client_(client), job_(job), file_(folder, job) {}

  // Writes the file anew, or appends the rounds since the last call. If rounds in the file were
  // rolled back, writes it anew. `job` is the answer of QueryJob. For a job that has ended, the
  // file is then complete, and Update must not be called again. Returns errors of the master, of
  // EventFile, and Unavailable if the job is rolled back again and again.
  Status Update(const Json& job, NewestRound newest);

  const std::string& path() const { return file_.path(); }
  int64_t rounds() const { return position_.round; }  // the last round in the file

 private:
  // Returns the records before the first round.
  StatusOr<std::string> Head(const JobTimes& times);
  // Appends. Returns false if the file must be written anew.
  StatusOr<bool> Append(const Json& job, NewestRound newest);
  // Returns false if rounds were rolled back while it wrote; the file is unchanged then.
  StatusOr<bool> Replace(const Json& job, NewestRound newest);

  rpc::ClientService& client_;
  const std::string job_;
  EventFile file_;
  CurvePosition position_;
};

}  // namespace dl::cli
