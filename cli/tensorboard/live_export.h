// Keeps the event file of a job up to date while the job runs.
#pragma once

#include <string>

#include "base/clock.h"
#include "base/json.h"
#include "base/status.h"
#include "cli/tensorboard/job_export.h"
#include "rpc/service.h"

namespace dl::cli {

// Not thread-safe.
class LiveExport {
 public:
  // As JobExport.
  LiveExport(rpc::ClientService& client, const std::string& job, const std::string& folder)
      : client_(client), job_(job), written_(client, job, folder) {}

  // Writes the file, or appends new rounds. Returns OK without effect if the last call was less
  // than a second ago, or if the master does not answer. Errors are the others of
  // JobExport::Update.
  Status Update();
  // Appends the last rounds of a job that has ended. The file is then complete.
  Status Finish();

  const std::string& path() const { return written_.path(); }
  int64_t rounds() const { return written_.rounds(); }

 private:
  rpc::ClientService& client_;
  const std::string job_;
  JobExport written_;
  Json document_;  // of the job, from the first update
  Instant next_{};
};

}  // namespace dl::cli
