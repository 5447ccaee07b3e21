#include "cli/jobs/interrupted_job.h"

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "cli/jobs/job_query.h"
#include "cli/output/json_fields.h"

namespace dl::cli {

void MarkInterrupted(const Session& session, Json& job) {
  if (session.is_remote() || HasEnded(job) || TextAt(job, "state") == "PAUSED") return;
  job["state"] = "INTERRUPTED";
  job["reason"] = "no_process";
  job.erase("action");
  job.erase("remedy");
  job["message"] = absl::StrCat("no process computes it; go on with: dl-submit resume",
                                session.next.run_flags, " ", TextAt(job, "job"));
}

}  // namespace dl::cli
