#include "tests/sim/master_process.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "master/log_reading.h"
#include "master/recovery.h"

namespace dl::sim {

std::unique_ptr<MasterProcess> MasterProcess::Start(Options options) {
  auto process = std::unique_ptr<MasterProcess>(new MasterProcess(std::move(options)));
  MasterProcess& self = *process;
  const Options& o = self.options_;
  auto recovered = master::LoadState(o.disk->meta, DefinitionOf);
  if (!recovered.ok()) {
    o.breach("recovery failed: " + DescribeError(recovered.status()));
    return nullptr;
  }
  self.started_ = o.time->now();
  self.engine_ = std::make_unique<MergeEngine>(
      MergeEngine::Options{.time = o.time,
                           .disk = o.disk,
                           .random = RandomStream({.seed = o.seed, .a = 2}),
                           .post = [&self](master::Event event) { self.Enqueue(std::move(event)); },
                           .breach = o.breach});
  self.core_ =
      std::make_unique<master::Core>(o.core, *std::move(recovered), o.time->now(), self.output_);
  o.ledger->CheckRecovered(*self.core_);
  self.HandOver();
  return process;
}

void MasterProcess::Later(Duration wait, void (MasterProcess::*action)()) {
  options_.time->After(wait, [this, action, alive = std::weak_ptr<bool>(alive_)] {
    if (!alive.expired() && !dead_) (this->*action)();
  });
}

void MasterProcess::Enqueue(master::Event event) {
  if (dead_) return;
  queue_.emplace_back(options_.time->now(), std::move(event));
  if (drain_set_) return;
  drain_set_ = true;
  Later(std::chrono::microseconds(random_.Bounded(2000)), &MasterProcess::Drain);
}

void MasterProcess::Act(rpc::JobActionRequest request,
                        std::function<void(StatusOr<rpc::JobActionReply>)> done) {
  master::UserAction action{.request = std::move(request)};
  auto ended = master::FindEnded(options_.disk->meta, action.request.job, DefinitionOf);
  if (!ended.ok()) return options_.breach("reading a job: " + DescribeError(ended.status()));
  action.ended = *ended;
  Ask<rpc::JobActionReply>(std::move(action), std::move(done));
}

void MasterProcess::Submit(master::Submission submission,
                           std::function<void(StatusOr<rpc::SubmitReply>)> done) {
  const std::string& source =
      submission.resume_from.empty() ? submission.init_from : submission.resume_from;
  if (!source.empty()) {
    const std::string job = source.substr(0, source.rfind('@'));
    auto ended = master::FindEnded(options_.disk->meta, job, DefinitionOf);
    if (!ended.ok()) return options_.breach("reading a job: " + DescribeError(ended.status()));
    submission.source = *ended;
  }
  Ask<rpc::SubmitReply>(std::move(submission), std::move(done));
}

void MasterProcess::ShutDown() {
  options_.ledger->NoteShutdown(*core_);
  Enqueue(master::ShutdownRequested{});
}

bool MasterProcess::Persist() {
  const storage::MetaBatch& batch = being_written_.batch;
  const bool dies = !batch.empty() && random_.NextDouble() < options_.death_at_write;
  if (dies) {
    // Before the batch is on the disk, or behind it but before anybody knows; or there was no
    // space.
    using Failure = storage::MemoryMetaStore::Failure;
    options_.disk->meta.FailWrite(1, static_cast<Failure>(random_.Bounded(3)));
  }
  const uint64_t index = options_.disk->meta.index();
  const Status written = options_.disk->meta.Write(batch);
  const bool durable = written.ok() || options_.disk->meta.index() != index;
  if (!written.ok())
    options_.disk->meta.Crash();  // the process ends here, and with it what was not durable
  if (durable) {
    being_written_.published_ahead = false;
    options_.ledger->Written(batch);
  }
  if (written.ok()) return true;
  dead_ = true;
  options_.died();
  return false;
}

void MasterProcess::Drain() {
  drain_set_ = false;
  size_t take = queue_.size() <= 1 ? queue_.size() : 1 + random_.Bounded(queue_.size());
  for (; take > 0 && !dead_; --take) {
    const auto [at, event] = std::move(queue_.front());
    queue_.pop_front();
    Step(event, at);
  }
  if (!dead_) HandOver();
  if (dead_) return;
  if (!queue_.empty() && !drain_set_) {
    drain_set_ = true;
    Later(Duration{}, &MasterProcess::Drain);
  }
  SetTimer();
}

void MasterProcess::Step(const master::Event& event, Instant at) {
  const Duration before = ThreadTime();
  core_->Step(event, {.now = options_.time->now(), .came = at}, output_);
  options_.stepped(event, ThreadTime() - before);
  if (const Status status = core_->CheckInvariants(); !status.ok()) {
    dead_ = true;
    return options_.breach("invariant: " + DescribeError(status));
  }
  options_.ledger->CheckLeases(*core_);
}

void MasterProcess::HandOver() {
  const master::Output output = std::exchange(output_, {});
  Release(output.ahead);
  for (const master::Effect& effect : output.ahead) {
    if (!master::MayLeaveAhead(effect)) return options_.breach("an effect leaves too early");
    unwritten_.published_ahead |=
        !output.batch.empty() && std::holds_alternative<master::Publish>(effect);
  }
  unwritten_.ready_to_stop |= core_->ReadyToStop();
  unwritten_.batch.Append(output.batch);
  unwritten_.effects.insert(unwritten_.effects.end(), output.effects.begin(), output.effects.end());
  if (!writing_) Write();
}

void MasterProcess::Write() {
  writing_ = true;
  being_written_ = std::exchange(unwritten_, {});
  if (being_written_.batch.empty()) return Written();
  uint64_t longest_us = random_.NextDouble() < options_.slow_write ? 1'500'000 : 3'000;
  if (longest_us > 3'000 && random_.Bounded(20) == 0) longest_us *= 10;  // than any time limit
  Later(std::chrono::microseconds(random_.Bounded(longest_us)), &MasterProcess::Written);
}

void MasterProcess::Written() {
  writing_ = false;
  if (!Persist()) return;
  const Unwritten written = std::exchange(being_written_, {});
  Release(written.effects);
  if (!dead_ && written.ready_to_stop) {
    dead_ = true;
    options_.ledger->CheckStopped(*core_);
    return options_.stopped();
  }
  if (!dead_ && !unwritten_.empty()) Write();
}

void MasterProcess::Release(const std::vector<master::Effect>& effects) {
  for (const master::Effect& effect : effects) {
    options_.ledger->Released(effect);
    std::visit(
        [this](const auto& e) {
          using T = std::decay_t<decltype(e)>;
          if constexpr (std::is_same_v<T, master::Answer>) {
            if (const auto* lease = std::get_if<rpc::LeaseReply>(&e.reply);
                lease != nullptr && !lease->leases.empty()) {
              first_lease_ = std::min(first_lease_, options_.time->now());
            }
            auto found = waiting_.extract(e.token);
            if (found.empty()) return options_.breach("a request is answered twice");
            found.mapped()(e);
          } else if constexpr (std::is_same_v<T, master::ReleaseJob>) {
            engine_->Do(e);
            Enqueue(master::EndRecorded{e.job, e.end});
          } else if constexpr (std::is_same_v<T, master::SurveyLog>) {
            ReadLog([this, e] { Enqueue(master::Survey(options_.disk->meta, e)); });
          } else if constexpr (std::is_same_v<T, master::ReadCommits>) {
            ReadLog([this, e] { Enqueue(master::Read(options_.disk->meta, e)); });
          } else if constexpr (!std::is_same_v<T, master::Emit> &&
                               !std::is_same_v<T, master::Log>) {
            engine_->Do(e);
          }
        },
        effect);
  }
}

void MasterProcess::ReadLog(std::function<void()> read) {
  options_.time->After(std::chrono::microseconds(random_.Bounded(20'000)),
                       [this, read = std::move(read), alive = std::weak_ptr<bool>(alive_)] {
                         if (!alive.expired() && !dead_) read();
                       });
}

void MasterProcess::SetTimer() {
  const Instant next = core_->NextDeadline();
  if (next == Instant::Max() || (timer_ <= next && timer_ > options_.time->now())) return;
  timer_ = std::max(next, options_.time->now());
  options_.time->At(timer_, [this, at = timer_, alive = std::weak_ptr<bool>(alive_)] {
    if (alive.expired() || dead_ || timer_ != at) return;
    timer_ = Instant::Max();
    if (!queue_.empty()) return;  // it is set again behind them
    idle_ticks_ = last_tick_ == at ? idle_ticks_ + 1 : 0;
    last_tick_ = at;
    if (idle_ticks_ > 100) return options_.breach("the core's timer spins");
    Step(master::Tick{}, at);
    if (!dead_) HandOver();
    if (!dead_) SetTimer();
  });
}

}  // namespace dl::sim
