#include "tests/sim/sim_client.h"

#include "absl/strings/str_cat.h"
#include "tests/sim/liar.h"

namespace dl::sim {
namespace {

constexpr Duration kDeadline = std::chrono::seconds(2);
constexpr Duration kPause = std::chrono::milliseconds(300);
constexpr char kInstance[] = "client";

bool Unclear(const Status& status) {
  return status.code() == absl::StatusCode::kUnavailable ||
         status.code() == absl::StatusCode::kDeadlineExceeded;
}

void RunNow(std::function<void()> action) { action(); }

}  // namespace

std::string Client::NextId() { return absl::StrCat("request-", ++requests_); }

void Client::Submit(const SimJob& job, std::function<void(std::string)> done) {
  const bool first = job.scheduling.priority > 0;  // only admins may set such a priority
  auto submission = std::make_shared<Submission>(Submission{
      .request = {.request_id = NextId(),
                  .spec = SpecOf(job),
                  .train_manifest = "{}",
                  .resume_from = job.resume_from,
                  .init_from = job.init_from,
                  .scheduling = job.scheduling},
      .by = users_->With(job.owner, first ? security::Role::kAdmin
                                          : security::Role::kSubmit)});  // shared by the attempts
  TrySubmit(std::move(submission), std::move(done));
}

void Client::TrySubmit(std::shared_ptr<Submission> submission,
                       std::function<void(std::string)> done) {
  const auto received = Received(submission->request, nullptr);
  network_->Call<rpc::SubmitReply>(
      false, RunNow, kDeadline,
      [received, by = submission->by](MasterProcess& master, auto answer) {
        if (!received.ok()) return answer(received.status());
        master.Submit({by, kInstance}, *received, kDeadline, answer);
      },
      [this, submission, done](StatusOr<rpc::SubmitReply> reply) {
        const rpc::SubmitRequest& request = submission->request;
        if (!reply.ok()) {
          const bool begins = !request.resume_from.empty() || !request.init_from.empty();
          if (begins && absl::IsNotFound(reply.status())) return done("");  // deleted meanwhile
          if (!Unclear(reply.status()))
            return breach_("a submission is refused: " + DescribeError(reply.status()));
          return time_->After(kPause, [=, this] { TrySubmit(submission, done); });
        }
        const std::string& known =
            answers_.try_emplace(request.request_id, reply->job).first->second;
        if (known != reply->job) return breach_("one submission made two jobs");
        owners_[reply->job] = submission->by.owner;
        done(reply->job);
      });
}

const security::Identity& Client::ActorOn(const rpc::JobActionRequest& request) {
  const auto owner = owners_.find(request.job);
  const bool operates = owner == owners_.end() || request.request_id.size() % 2 == 0;
  return users_->With(operates ? "" : owner->second, security::Role::kSubmit);
}

void Client::Act(const std::string& job, rpc::JobAction action, int64_t round) {
  TryAct({.request_id = NextId(), .job = job, .action = action, .round = round});
}

void Client::Rebind(const std::string& job, const std::string& isa) {
  TryAct({.request_id = NextId(),
          .job = job,
          .action = rpc::JobAction::kResume,
          .rebind = true,
          .isa = isa});
}

void Client::ActOnce(const std::string& job, rpc::JobAction action, Duration deadline,
                     int64_t round) {
  const rpc::JobActionRequest request{
      .request_id = NextId(), .job = job, .action = action, .round = round};
  CallToAct(ActorOn(request), request, deadline, [](const Status&) {});
}

void Client::ActAs(const security::Identity& who, rpc::JobActionRequest request, bool used_id) {
  request.request_id = used_id ? absl::StrCat("request-", requests_) : NextId();
  CallToAct(who, request, kDeadline, [](const Status&) {});
}

void Client::TryAct(rpc::JobActionRequest request) {
  CallToAct(ActorOn(request), request, kDeadline, [this, request](const Status& status) {
    if (status.ok() || !Unclear(status)) return;
    time_->After(kPause, [=, this] { TryAct(request); });
  });
}

void Client::CallToAct(const security::Identity& who, const rpc::JobActionRequest& request,
                       Duration deadline, std::function<void(const Status&)> done) {
  const auto received = Received(request, nullptr);
  network_->Call<rpc::JobActionReply>(
      false, RunNow, deadline,
      [received, who, deadline](MasterProcess& master, auto answer) {
        if (!received.ok()) return answer(received.status());
        master.Act({who, kInstance}, *received, deadline, answer);
      },
      [done = std::move(done)](const StatusOr<rpc::JobActionReply>& reply) {
        done(reply.status());
      });
}

}  // namespace dl::sim
