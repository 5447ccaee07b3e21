#include "tests/sim/client.h"

#include "absl/strings/str_cat.h"

namespace dl::sim {
namespace {

constexpr Duration kDeadline = std::chrono::seconds(2);
constexpr Duration kPause = std::chrono::milliseconds(300);

bool Unclear(const Status& status) {
  return status.code() == absl::StatusCode::kUnavailable ||
         status.code() == absl::StatusCode::kDeadlineExceeded;
}

void RunNow(std::function<void()> action) { action(); }

}  // namespace

void Client::Submit(const SimJob& job, std::function<void(std::string)> done) {
  auto submission = std::make_shared<master::Submission>();  // shared by the tries
  submission->request_id = absl::StrCat("request-", ++requests_);
  submission->spec = SpecOf(job);
  submission->train_manifest = "{}";
  submission->definition = *DefinitionOf("", submission->spec, "", "");
  submission->resume_from = job.resume_from;
  submission->init_from = job.init_from;
  submission->owner = job.owner;
  submission->scheduling = job.scheduling;
  TrySubmit(std::move(submission), std::move(done));
}

void Client::TrySubmit(std::shared_ptr<master::Submission> submission,
                       std::function<void(std::string)> done) {
  network_->Call<rpc::SubmitReply>(
      false, RunNow, kDeadline,
      [submission](MasterProcess& master, auto answer) {
        master.Submit(*submission, kDeadline, answer);
      },
      [this, submission, done](StatusOr<rpc::SubmitReply> reply) {
        if (!reply.ok()) {
          const bool begins = !submission->resume_from.empty() || !submission->init_from.empty();
          if (begins && absl::IsNotFound(reply.status())) return done("");  // deleted meanwhile
          if (!Unclear(reply.status()))
            return breach_("a submission is refused: " + DescribeError(reply.status()));
          return time_->After(kPause, [=, this] { TrySubmit(submission, done); });
        }
        const std::string& known =
            answers_.try_emplace(submission->request_id, reply->job).first->second;
        if (known != reply->job) return breach_("one submission made two jobs");
        done(reply->job);
      });
}

void Client::Act(const std::string& job, rpc::JobAction action, int64_t round) {
  TryAct({.request_id = absl::StrCat("request-", ++requests_),
          .job = job,
          .action = action,
          .round = round});
}

void Client::Rebind(const std::string& job, const std::string& isa) {
  TryAct({.request_id = absl::StrCat("request-", ++requests_),
          .job = job,
          .action = rpc::JobAction::kResume,
          .rebind = true,
          .isa = isa});
}

void Client::ActOnce(const std::string& job, rpc::JobAction action, Duration deadline,
                     int64_t round) {
  CallToAct({.request_id = absl::StrCat("request-", ++requests_),
             .job = job,
             .action = action,
             .round = round},
            deadline, [](const Status&) {});
}

void Client::TryAct(rpc::JobActionRequest request) {
  CallToAct(request, kDeadline, [this, request](const Status& status) {
    if (status.ok() || !Unclear(status)) return;
    time_->After(kPause, [=, this] { TryAct(request); });
  });
}

void Client::CallToAct(const rpc::JobActionRequest& request, Duration deadline,
                       std::function<void(const Status&)> done) {
  master::UserAction action{.request = request};
  action.request.by.role = security::Role::kAdmin;  // owners are not what is looked at here
  network_->Call<rpc::JobActionReply>(
      false, RunNow, deadline,
      [action, deadline](MasterProcess& master, auto answer) {
        master.Act(action, deadline, answer);
      },
      [done = std::move(done)](const StatusOr<rpc::JobActionReply>& reply) {
        done(reply.status());
      });
}

}  // namespace dl::sim
