#include "tests/sim/job_readers.h"

#include <iterator>

#include "tests/sim/liar.h"

namespace dl::sim {
namespace {

constexpr Duration kDeadline = std::chrono::seconds(2);
constexpr Duration kPause = std::chrono::milliseconds(300);
constexpr char kInstance[] = "reader";

void RunNow(std::function<void()> action) { action(); }

}  // namespace

void JobReaders::Begin(Instant peace) {
  peace_ = peace;
  Next();
}

void JobReaders::Next() {
  const uint64_t longest_ms = cluster_.time.now() < peace_ ? 1000 : 20'000;
  cluster_.time.After(std::chrono::milliseconds(options_.random.Bounded(longest_ms)), [this] {
    if (stopped_) return;
    Ask();
    Next();
  });
}

std::string JobReaders::SomeJob() {
  const auto& jobs = cluster_.rules.ledger.jobs();
  if (jobs.empty() || options_.random.Bounded(20) == 0) return "no-such-job-1";
  return std::next(jobs.begin(), static_cast<int64_t>(options_.random.Bounded(jobs.size())))->first;
}

security::Identity JobReaders::SomeUser() {
  switch (options_.random.Bounded(16)) {
    case 0:
      return cluster_.users.Revoked("eve");
    case 1:
      return cluster_.users.With("eve", security::Role::kExecute);
    case 2:
      return cluster_.users.With("", security::Role::kAdmin);
    case 3:
      return cluster_.users.With("ada", security::Role::kSubmit);
    default:
      return cluster_.users.With("eve", security::Role::kRead);
  }
}

void JobReaders::Ask() {
  using rpc::QueryKind;
  constexpr QueryKind kQuestions[] = {
      QueryKind::kJobs,        QueryKind::kJobs, QueryKind::kJobs,          QueryKind::kCluster,
      QueryKind::kJob,         QueryKind::kJob,  QueryKind::kResult,        QueryKind::kResult,
      QueryKind::kCheckpoints, QueryKind::kSpec, QueryKind::kTrainManifest, QueryKind::kLog};
  const security::Identity who = SomeUser();
  if (options_.random.Bounded(4) == 0) {
    const int64_t wait_ms = static_cast<int64_t>(options_.random.Bounded(5000));
    return Follow({.job = SomeJob(), .wait_ms = wait_ms}, who);
  }
  rpc::QueryRequest request{.what = kQuestions[options_.random.Bounded(std::size(kQuestions))]};
  if (request.what != QueryKind::kJobs && request.what != QueryKind::kCluster)
    request.job = SomeJob();
  // Polls accept answers that are some seconds old.
  if (options_.random.Bounded(2) == 0)
    request.max_age_ms = static_cast<int64_t>(options_.random.Bounded(5000));
  Call(request, who);
}

void JobReaders::Call(const rpc::QueryRequest& request, const security::Identity& who) {
  const auto received = Received(request, nullptr);
  cluster_.network.Call<rpc::QueryReply>(
      false, RunNow, kDeadline,
      [received, who](MasterProcess& master, auto answer) {
        if (!received.ok()) return answer(received.status());
        master.Query({who, kInstance}, *received, kDeadline, answer);
      },
      [=, this](const StatusOr<rpc::QueryReply>& reply) {
        if (stopped_ || !reply.ok() || reply->next_first == 0) return;
        rpc::QueryRequest next = request;
        next.first = reply->next_first;
        Call(next, who);
      });
}

void JobReaders::FollowAll() {
  for (const std::string& id : cluster_.jobs.ids()) {
    followed_.insert(id);
    Follow({.job = id, .wait_ms = 1000}, cluster_.users.With("eve", security::Role::kRead));
  }
}

void JobReaders::Follow(const rpc::EventsRequest& request, const security::Identity& who) {
  const Duration deadline = kDeadline + std::chrono::milliseconds(request.wait_ms);
  const auto received = Received(request, nullptr);
  cluster_.network.Call<rpc::EventsReply>(
      false, RunNow, deadline,
      [received, who, deadline](MasterProcess& master, auto answer) {
        if (!received.ok()) return answer(received.status());
        master.Events({who, kInstance}, *received, deadline, answer);
      },
      [=, this](const StatusOr<rpc::EventsReply>& reply) {
        const bool denied = absl::IsUnauthenticated(reply.status());
        if (denied || absl::IsNotFound(reply.status()) || (reply.ok() && reply->terminal)) {
          followed_.erase(request.job);
          return;
        }
        if (stopped_ && followed_.empty()) return;
        rpc::EventsRequest next = request;
        if (reply.ok()) next.after = reply->last;
        cluster_.time.After(reply.ok() ? Duration{} : kPause, [=, this] { Follow(next, who); });
      });
}

}  // namespace dl::sim
