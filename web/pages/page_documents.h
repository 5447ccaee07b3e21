// The documents that pages show. Each is the document of the API with additional members for its
// page.
#pragma once

#include <string>

#include "base/json_fwd.h"
#include "base/status.h"
#include "rpc/messages.h"
#include "rpc/service.h"
#include "web/api/job_list.h"
#include "web/pages/page_values.h"

namespace dl::web {

// Errors of all methods are those of rpc::ClientService::Query.
class PageDocuments {
 public:
  // `master` must outlive this object.
  PageDocuments(rpc::ClientService& master, PageUser user)
      : master_(master), user_(std::move(user)) {}

  StatusOr<Json> Job(const std::string& job);
  // Returns a page of jobs (JobList). Jobs with rounds have "spark", the curve of the training
  // loss as the points of an SVG polyline.
  StatusOr<Json> Jobs(const JobListRequest& request);
  // Returns {"cluster","waiting","active"}. "waiting" lists the jobs that are QUEUED, WAITING,
  // STARTING or RECOVERING, and "active" those that are RUNNING, PAUSING or CANCELLING. Both lists
  // come from the newest 500 jobs.
  StatusOr<Json> Cluster();
  // Returns the documents of the newest jobs, without curves.
  StatusOr<Json> NewestJobs(int64_t limit);

 private:
  StatusOr<Json> Read(rpc::QueryKind what, const std::string& job);

  rpc::ClientService& master_;
  const PageUser user_;
};

}  // namespace dl::web
