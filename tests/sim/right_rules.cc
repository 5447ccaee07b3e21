#include "tests/sim/right_rules.h"

#include <variant>

#include "absl/strings/str_cat.h"

namespace dl::sim {

bool RightRules::MayAct(const rpc::JobActionRequest& request) const {
  const std::string& token = request.by.token;
  if (!token.empty() && !audit_.tokens->IsValid(token)) return false;
  if (request.by.role == security::Role::kAdmin) return true;
  const auto job = ledger_.jobs().find(request.job);
  return request.by.role == security::Role::kSubmit && job != ledger_.jobs().end() &&
         job->second.owner == request.by.owner;
}

RightRules::Facts RightRules::FactsOf(const master::Job& job) {
  using master::JobState;
  Facts facts{.attempt = job.record.attempt};
  for (const auto& [round, checkpoint] : job.checkpoints) {
    if (checkpoint.pinned) facts.pinned.insert(round);
  }
  for (const JobState state :
       {JobState::kCancelling, JobState::kCancelled, JobState::kPausing, JobState::kPaused})
    facts.ends |= job.record.state == state;
  return facts;
}

void RightRules::Acknowledged(const rpc::JobActionRequest& request) const {
  if (MayAct(request)) return;
  audit_.breach(absl::StrCat("an action of ", request.by.owner, " (",
                             std::string(security::RoleName(request.by.role)), ") on ", request.job,
                             ", a job of another user, is acknowledged"));
}

void RightRules::BeforeStep(const master::Core& core, const master::Event& event) {
  before_.reset();
  const auto* action = std::get_if<master::Asked<master::UserAction>>(&event);
  if (action == nullptr || MayAct(action->request.request)) return;
  request_ = action->request.request;
  const master::Job* job = core.Find(request_.job);
  if (job != nullptr) before_ = FactsOf(*job);
}

void RightRules::AfterStep(const master::Core& core) {
  if (!before_) return;
  const master::Job* job = core.Find(request_.job);
  if (job == nullptr || FactsOf(*job) != *before_)
    audit_.breach(absl::StrCat("an action of ", request_.by.owner, " on ", request_.job,
                               ", a job of another user, has an effect"));
}

}  // namespace dl::sim
