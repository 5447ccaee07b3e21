#include "master/gateway/user_requests.h"

#include "absl/strings/str_cat.h"
#include "base/limits.h"

namespace dl::master {
namespace {

// All documents are written in a single batch of the store.
Status CheckSize(const rpc::SubmitRequest& request) {
  if (static_cast<int64_t>(request.spec.size()) > limits::kMaxSpecBytes) {
    return ResourceExhausted(
        {.message = absl::StrCat("the job spec has ", request.spec.size(),
                                 " bytes, but the limit is ", limits::kMaxSpecBytes),
         .where = "spec",
         .remedy = "Use a model with fewer layers."});
  }
  const size_t bytes =
      request.spec.size() + request.train_manifest.size() + request.test_manifest.size();
  if (static_cast<int64_t>(bytes) <= limits::kMaxSubmissionBytes) return absl::OkStatus();
  return ResourceExhausted(
      {.message = absl::StrCat("the job spec and manifests have ", bytes,
                               " bytes, but the limit is ", limits::kMaxSubmissionBytes),
       .where = "data",
       .remedy = "Train on fewer files at once, and leave out names of classes and features that "
                 "are not needed."});
}

// A job with a higher priority comes before all others while it runs. Among the others, owners take
// turns.
Status CheckPriority(const rpc::SubmitRequest& request) {
  const int32_t priority = request.scheduling.priority;
  if (priority <= 0 || request.by.role == security::Role::kAdmin) return absl::OkStatus();
  return Denied({.message = absl::StrCat(
                     "priority ", priority,
                     " puts the job before jobs of other owners, which only admins may do"),
                 .where = "--priority",
                 .remedy = "Leave it out, or give your other jobs a priority below 0"});
}

}  // namespace

Status CheckSubmission(const rpc::SubmitRequest& request) {
  if (request.request_id.empty())
    return InvalidArgument({.message = "a submission needs a request id"});
  DL_RETURN_IF_ERROR(CheckSize(request));
  return CheckPriority(request);
}

Submission SubmissionOf(const rpc::SubmitRequest& request) {
  return {.request_id = request.request_id,
          .spec = request.spec,
          .train_manifest = request.train_manifest,
          .test_manifest = request.test_manifest,
          .resume_from = request.resume_from,
          .init_from = request.init_from,
          .owner = request.by.owner,
          .scheduling = request.scheduling};
}

Status CheckAction(const rpc::JobActionRequest& request) {
  if (request.request_id.empty())
    return InvalidArgument({.message = "an action needs a request id"});
  if (request.set_aside >= 0) return absl::OkStatus();
  return InvalidArgument({.message = absl::StrCat("rollback ", request.set_aside,
                                                  " is negative; rollbacks count from 1"),
                          .where = "set_aside"});
}

}  // namespace dl::master
