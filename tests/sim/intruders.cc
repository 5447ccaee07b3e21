#include "tests/sim/intruders.h"

namespace dl::sim {

void Intruders::Begin(Instant peace) {
  peace_ = peace;
  Next();
}

void Intruders::Next() {
  const Duration pause = std::chrono::milliseconds(options_.random.Bounded(1500));
  cluster_.time.After(pause, [this] {
    if (cluster_.time.now() >= peace_) return;
    const auto& jobs = cluster_.rules.ledger.jobs();
    if (!jobs.empty()) {
      const auto job =
          std::next(jobs.begin(), static_cast<int64_t>(options_.random.Bounded(jobs.size())));
      for (int64_t i = 0; i < options_.at_once; ++i) ActOn(job->first, job->second.owner);
    }
    Next();
  });
}

security::Identity Intruders::UserWithoutRight(const std::string& owner) {
  switch (options_.random.Bounded(4)) {
    case 0:
      return cluster_.users.With(owner.empty() ? "eve" : owner, security::Role::kRead);
    case 1:
      return cluster_.users.With(owner.empty() ? "eve" : owner, security::Role::kExecute);
    case 2:
      return cluster_.users.Revoked(owner.empty() ? "eve" : owner);
    default:
      return cluster_.users.With("eve", security::Role::kSubmit);
  }
}

void Intruders::ActOn(const std::string& id, const std::string& owner) {
  using rpc::JobAction;
  constexpr JobAction kActions[] = {JobAction::kCancel, JobAction::kResume, JobAction::kCheckpoint,
                                    JobAction::kPin,    JobAction::kUnpin,  JobAction::kDelete,
                                    JobAction::kPause};
  rpc::JobActionRequest request{.job = id,
                                .action = kActions[options_.random.Bounded(std::size(kActions))]};
  const master::Job* job = cluster_.jobs.Find(id);
  if (job != nullptr && !job->checkpoints.empty()) request.round = job->checkpoints.begin()->first;
  ++cluster_.report.intrusions;
  // May also use a request id that others have used.
  cluster_.client.ActAs(UserWithoutRight(owner), std::move(request),
                        options_.random.Bounded(2) == 0);
}

}  // namespace dl::sim
