#include "tests/sim/deletions.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace dl::sim {
namespace {

constexpr int64_t kMost = 8;  // jobs in a schedule

}  // namespace

Duration Deletions::UpTo(Duration longest) {
  return Duration(
      static_cast<int64_t>(options_.random.Bounded(static_cast<uint64_t>(longest.count()))));
}

void Deletions::Begin(Instant peace) {
  peace_ = peace;
  SubmitOne();
  Next();
}

void Deletions::SubmitOne() {
  if (submitted_ == kMost) return;
  ++submitted_;
  SimJob job = RandomJob(options_.random);
  job.name = kPassingJob;
  cluster_.client.Submit(job, [this](std::string id) { ids_.push_back(std::move(id)); });
}

void Deletions::CancelAll() {
  for (const std::string& id : ids_) cluster_.client.Act(id, rpc::JobAction::kCancel);
}

void Deletions::Next() {
  cluster_.time.After(UpTo(std::chrono::milliseconds(800)), [this] {
    if (cluster_.time.now() >= peace_) return;
    if (!ids_.empty()) ActOn(ids_[options_.random.Bounded(ids_.size())]);
    if (options_.random.Bounded(3) == 0) SubmitOne();
    if (options_.random.Bounded(4) == 0)
      cluster_.client.SendBlock(absl::StrCat("upload ", options_.random.Bounded(3)));
    Next();
  });
}

void Deletions::ActOn(const std::string& id) {
  const master::Job* job = cluster_.jobs.Find(id);
  if (job == nullptr) return;
  if (master::IsTerminal(job->record.state)) return DeleteAndAct(id, *job);
  cluster_.client.ActOnce(id, rpc::JobAction::kCancel, UpTo(std::chrono::seconds(1)));
}

void Deletions::DeleteAndAct(const std::string& id, const master::Job& job) {
  const int64_t round = job.checkpoints.empty() ? -1 : job.checkpoints.begin()->first;
  const auto act = [this, id, round] {
    const Duration deadline = UpTo(std::chrono::seconds(5));
    const bool pins = round >= 0 && options_.random.Bounded(2) == 0;
    cluster_.client.ActOnce(id, pins ? rpc::JobAction::kPin : rpc::JobAction::kResume, deadline,
                            pins ? round : -1);
  };
  const auto remove = [this, id] {
    if (options_.random.Bounded(3) == 0) return;  // the job is left to retention
    const bool deletes_pinned = options_.random.Bounded(2) == 0;
    cluster_.client.ActOnce(id, rpc::JobAction::kDelete, UpTo(std::chrono::milliseconds(40)),
                            deletes_pinned ? INT64_MAX : -1);
  };
  cluster_.time.After(UpTo(std::chrono::milliseconds(30)), remove);
  cluster_.time.After(UpTo(std::chrono::milliseconds(60)), act);
}

}  // namespace dl::sim
