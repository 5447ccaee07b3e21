#include "tests/sim/sim_client.h"

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "tests/sim/job_blocks.h"
#include "tests/sim/liar.h"

namespace dl::sim {
namespace {

constexpr Duration kDeadline = std::chrono::seconds(2);
constexpr Duration kPause = std::chrono::milliseconds(300);
constexpr char kInstance[] = "client";

// Whether the request must be repeated. Returns true also if the store has failed, because the
// master then ends.
bool Unclear(const Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) ||
         absl::IsInternal(status);
}

void RunNow(std::function<void()> action) { action(); }

}  // namespace

std::string Client::NextId() { return absl::StrCat("request-", ++requests_); }

void Client::Submit(const SimJob& job, std::function<void(std::string)> done) {
  const bool first = job.scheduling.priority > 0;  // only admins may set such a priority
  const std::vector<std::string> blocks = BlocksOf(job);
  auto submission = std::make_shared<Submission>(Submission{
      .request = {.request_id = NextId(),
                  .spec = SpecOf(job),
                  .train_manifest = ManifestOf(blocks),
                  .resume_from = job.resume_from,
                  .init_from = job.init_from,
                  .scheduling = job.scheduling},
      .by = users_->With(job.owner, first ? security::Role::kAdmin : security::Role::kSubmit),
      .done = std::move(done)});
  for (const std::string& block : blocks) submission->blocks[Sha256Hex(block)] = block;
  TryAsk(std::move(submission));
}

void Client::TryAsk(SharedSubmission submission) {
  submission->began = time_->now();
  rpc::MissingBlocksRequest request;
  for (const auto& [name, content] : submission->blocks) request.sha256.push_back(name);
  const auto received = Received(request, nullptr);
  network_->Call<rpc::MissingBlocksReply>(
      false, RunNow, kDeadline,
      [received, by = submission->by](MasterProcess& master, auto answer) {
        if (!received.ok()) return answer(received.status());
        master.MissingBlocks({by, kInstance}, *received, answer);
      },
      [this, submission](const StatusOr<rpc::MissingBlocksReply>& reply) {
        if (!reply.ok()) return time_->After(kPause, [=, this] { TryAsk(submission); });
        if (reply->missing.empty()) return TrySubmit(submission);
        TrySend(submission, reply->missing);
      });
}

void Client::TrySend(SharedSubmission submission, const std::vector<std::string>& names) {
  rpc::PutBlocksRequest request;
  for (const std::string& name : names) {
    const std::string& content = submission->blocks.at(name);
    request.sha256.push_back(name);
    request.sizes.push_back(static_cast<int64_t>(content.size()));
    request.bytes += content;
  }
  CallToSend(submission->by, request, [this, submission](const Status& status) {
    if (status.ok()) return TrySubmit(submission);
    time_->After(kPause, [=, this] { TryAsk(submission); });
  });
}

void Client::CallToSend(const security::Identity& who, const rpc::PutBlocksRequest& request,
                        std::function<void(const Status&)> done) {
  const auto received = Received(request, nullptr);
  network_->Call<std::monostate>(
      false, RunNow, kDeadline,
      [received, who](MasterProcess& master, auto answer) {
        if (!received.ok()) return answer(received.status());
        master.PutBlocks({who, kInstance}, *received, answer);
      },
      [done = std::move(done)](const StatusOr<std::monostate>& reply) { done(reply.status()); });
}

void Client::SendBlock(const std::string& content) {
  CallToSend(users_->With("", security::Role::kSubmit),
             {.sha256 = {Sha256Hex(content)},
              .sizes = {static_cast<int64_t>(content.size())},
              .bytes = content},
             [](const Status&) {});
}

void Client::TrySubmit(SharedSubmission submission) {
  const auto received = Received(submission->request, nullptr);
  network_->Call<rpc::SubmitReply>(
      false, RunNow, kDeadline,
      [received, by = submission->by](MasterProcess& master, auto answer) {
        if (!received.ok()) return answer(received.status());
        master.Submit({by, kInstance}, *received, kDeadline, answer);
      },
      [this, submission](const StatusOr<rpc::SubmitReply>& reply) {
        if (reply.ok()) return Submitted(submission, *reply);
        const rpc::SubmitRequest& request = submission->request;
        const bool begins = !request.resume_from.empty() || !request.init_from.empty();
        if (begins && absl::IsNotFound(reply.status()))
          return submission->done("");  // deleted meanwhile
        // Blocks may be deleted with the job of an earlier attempt, or early by a wrong clock.
        if (absl::IsFailedPrecondition(reply.status()) &&
            (submission->is_unclear || submission->began < audit_->wall_clock_right_since))
          return TryAsk(submission);
        if (!Unclear(reply.status()))
          return audit_->breach("a submission is refused: " + DescribeError(reply.status()));
        submission->is_unclear = true;
        time_->After(kPause, [=, this] { TrySubmit(submission); });
      });
}

void Client::Submitted(SharedSubmission submission, const rpc::SubmitReply& reply) {
  const std::string& known =
      answers_.try_emplace(submission->request.request_id, reply.job).first->second;
  if (known != reply.job) return audit_->breach("one submission made two jobs");
  owners_[reply.job] = submission->by.owner;
  submission->done(reply.job);
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
