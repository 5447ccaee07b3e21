#include "tests/sim/cluster.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "master/core/keys.h"
#include "master/recovery.h"
#include "master/step_times.h"

namespace dl::sim {

Cluster::Cluster(uint64_t seed)
    : network(&time, seed),
      seed_(seed),
      ledger_(&disk.meta, [this](std::string what) { Breach(std::move(what)); }),
      client_(&time, &network, [this](std::string what) { Breach(std::move(what)); }),
      pauses_({.seed = seed, .a = 14}) {
  network.master = &master;
}

void Cluster::Breach(std::string what) {
  if (breach_.empty())
    breach_ = absl::StrCat(what, " [at ", Seconds(Duration(time.now().ns)), " s]");
}

void Cluster::StartMaster() {
  if (master) return;
  core_options.contract_grace = std::chrono::milliseconds(700);
  if (master_starts_ == 0) {
    // Which units are computed twice is a function of the schedule too.
    storage::MetaBatch secret;
    secret.Put(master::keys::kSecret, absl::StrCat(seed_ + 1));
    if (!disk.meta.Write(secret).ok()) return Breach("the disk refused its first write");
  }
  ++master_starts_;
  master = MasterProcess::Start({.time = &time,
                                 .disk = &disk,
                                 .ledger = &ledger_,
                                 .seed = seed_ * 1000 + static_cast<uint64_t>(master_starts_),
                                 .core = core_options,
                                 .death_at_write = death_at_write,
                                 .slow_write = slow_write,
                                 .died =
                                     [this] {
                                       time.After({}, [this] { KillMaster(); });
                                       time.After(std::chrono::milliseconds(500),
                                                  [this] { StartMaster(); });
                                     },
                                 .stopped =
                                     [this] {
                                       ++shutdowns;
                                       time.After({}, [this] { KillMaster(); });
                                       time.After(away_, [this] { StartMaster(); });
                                     },
                                 .stepped =
                                     [this](const master::Event& event, Duration computed) {
                                       ++steps;
                                       if (computed > limits::kLongStep)
                                         long_steps[steps] = std::string(master::KindOf(event));
                                     },
                                 .breach = [this](std::string what) { Breach(std::move(what)); }});
}

void Cluster::CountFacts() {
  if (!master) return;
  for (const std::string& id : jobs_) {
    const master::Job* job = master->core().Find(id);
    if (job == nullptr) continue;  // it ended in an earlier life
    second_leases += job->counts.second_leases;
    expired_leases += job->counts.expired_leases;
    duplicates += job->counts.duplicate_results;
    replayed += job->counts.replayed_rounds;
  }
}

void Cluster::KillMaster() {
  if (!master) return;
  CountFacts();
  if (master->ahead_of_log()) ++taken_back;
  master.reset();
  disk.meta.Crash();
}

void Cluster::ShutDownMaster(Duration away) {
  if (!master) return;
  constexpr Duration kLimit = std::chrono::seconds(60);
  away_ = away;
  master->ShutDown();
  time.After(kLimit, [this, start = master_starts_] {
    if (master && master_starts_ == start) Breach("a master that was told to stop goes on");
  });
}

size_t Cluster::AddExecutor(ExecutorSetup setup) {
  setups_.push_back(setup);
  incarnations_.push_back(0);
  notes_.emplace_back();
  executors.emplace_back();
  const std::string name = absl::StrCat("e", executors.size() - 1);
  ledger_.AddContract(name, ContractOf(setup.isa));
  if (!setup.also_isa.empty()) ledger_.AddContract(name, ContractOf(setup.also_isa));
  if (setup.unit_memory > 0) ledger_.SetMemory(name, setup.unit_memory);
  return executors.size() - 1;
}

void Cluster::StartExecutor(size_t index) {
  if (executors[index]) return;
  const ExecutorSetup& setup = setups_[index];
  executors[index] = std::make_unique<ExecutorProcess>(ExecutorProcess::Options{
      .time = &time,
      .network = &network,
      .disk = &disk,
      .name = absl::StrCat("e", index),
      .incarnation = ++incarnations_[index],
      .slots = setup.slots,
      .isa = setup.isa,
      .also_isa = setup.also_isa,
      .crashed = std::exchange(notes_[index], {}),
      .unit_memory = setup.unit_memory,
      .seed = seed_ + index,
      .unit_time = setup.unit_time,
      .wrong = setup.wrong,
      .wrong_sums = setup.wrong_sums,
      .failing = setup.failing,
      .not_finite = setup.not_finite,
      .crashing = setup.crashing,
      .trouble = [this](const UnitId& unit,
                        Ledger::Trouble what) { ledger_.NoteTrouble(unit, what); },
      .left = [this](const master::Core& core,
                     uint64_t session) { ledger_.CheckLeft(core, session); },
      .ended = [this, index](
                   std::vector<rpc::CrashedUnit> note) { ExecutorEnded(index, std::move(note)); },
      .start_anew =
          [this, index] {
            time.After(Duration{}, [this, index] {
              KillExecutor(index, true);
              StartExecutor(index);
            });
          }});
}

void Cluster::ExecutorEnded(size_t index, std::vector<rpc::CrashedUnit> note) {
  time.After({}, [this, index, was = incarnations_[index], note = std::move(note)] {
    if (!executors[index] || incarnations_[index] != was) return;
    ++(note.empty() ? left : crashes);
    notes_[index] = note;
    KillExecutor(index, true);
    const Duration pause = std::chrono::milliseconds(pauses_.Bounded(4000));
    time.After(pause, [this, index] { StartExecutor(index); });
  });
}

void Cluster::LetExecutorLeave(size_t index, Duration limit) {
  constexpr Duration kGoodbye = std::chrono::seconds(60);  // it may be stopped for a part of it
  const auto then = [this, index, was = incarnations_[index]](Duration wait, auto action) {
    time.After(wait, [this, index, was, action] {
      if (executors[index] && incarnations_[index] == was) action(*executors[index]);
    });
  };
  executors[index]->Drain();
  then(limit, [](ExecutorProcess& executor) { executor.Stop(); });
  then(limit + kGoodbye, [this](ExecutorProcess& executor) {
    Breach(executor.name() + " was told to stop and is still there");
  });
}

void Cluster::Heal(size_t index) {
  ExecutorSetup& setup = setups_[index];
  setup.wrong = setup.wrong_sums = setup.failing = setup.not_finite = setup.crashing = 0;
  executors[index]->BecomeHealthy();
}

void Cluster::KillExecutor(size_t index, bool connection_closes) {
  if (!executors[index]) return;
  const uint64_t session = executors[index]->session();
  executors[index].reset();
  if (!connection_closes || session == 0) return;
  time.After(network.Delay(), [this, session] {
    if (master) master->Enqueue(master::SessionDisconnected{session});
  });
}

void Cluster::Submit(const SimJob& job) {
  ++submitted_;
  client_.Submit(job, [this](std::string id) {
    if (id.empty()) {
      --submitted_;
    } else {
      jobs_.push_back(std::move(id));
    }
  });
}

const master::Job* Cluster::JobOf(const std::string& id) {
  if (!master) return nullptr;
  if (const master::Job* found = master->core().Find(id)) return found;
  const auto ended = master::FindEnded(disk.meta, id, DefinitionOf);
  if (!ended.ok() || *ended == nullptr) return nullptr;
  return &(ended_jobs_[id] = master::Restored(**ended));
}

bool Cluster::RunUntil(Instant limit, const std::function<bool()>& done) {
  const auto over = std::make_shared<bool>(
      false);  // shared with the limit's action, which may come after this call
  time.At(limit, [over] { *over = true; });
  while (!*over && breach_.empty() && !done()) {
    if (!time.RunNext()) break;
  }
  return breach_.empty() && !*over;
}

bool Cluster::IsDone(const master::Job& job) {
  if (job.record.state == master::JobState::kSucceeded) return true;
  if (job.record.state != master::JobState::kFailed) return false;
  const Reference& reference = ledger_.ReferenceOf(job.definition.id);
  const master::Reason reason = job.record.reason;
  return (reference.fate == SimJob::Fate::kNotFinite && reason == master::Reason::kNotFinite) ||
         (reference.fate == SimJob::Fate::kCrash && reason == master::Reason::kUnitFailed &&
          job.log.committed == reference.last_round);
}

bool Cluster::RunToTheEnd(Duration limit) {
  const Instant end = time.now() + limit;
  while (breach_.empty() && time.now() < end) {
    bool all = master != nullptr && static_cast<int64_t>(jobs_.size()) == submitted_;
    for (const std::string& id : jobs_) {
      const master::Job* job = JobOf(id);
      if (job == nullptr) {
        all = false;
        continue;
      }
      const master::JobState state = job->record.state;
      if (IsDone(*job)) continue;
      all = false;
      if (state == master::JobState::kFailed || state == master::JobState::kCancelled ||
          state == master::JobState::kPaused) {
        client_.Act(id, rpc::JobAction::kResume);
      }
    }
    if (all) return true;
    RunFor(std::chrono::seconds(1));
  }
  std::string states;
  for (const std::string& id : jobs_) {
    const master::Job* job = JobOf(id);
    absl::StrAppend(&states, " ", id, "=",
                    job == nullptr ? "?" : std::string(master::JobStateName(job->record.state)));
    if (job != nullptr) {
      absl::StrAppend(&states, "/phase ", static_cast<int>(job->phase), "/at ", job->at, "/",
                      job->record.message);
      for (const auto& [index, unit] : job->units) {
        absl::StrAppend(&states, "; unit ", index, " accepted=", unit.accepted,
                        " staged=", unit.result.staged, " results=", unit.results.size(),
                        " leases=", unit.leases.size(), " errors=", unit.errors.size());
      }
    }
  }
  Breach(absl::StrCat("liveness: not every job ended in time:", states));
  return false;
}

// A liar that nobody caught, or only when the job had ended.
bool Cluster::MayHoldLies(const master::Job& job) const {
  const auto& quarantined = master->core().quarantined();
  const bool caught = quarantined.contains("e0");
  const auto since = job.word.unverified_since.find("e0");
  return !caught ||
         (since != job.word.unverified_since.end() && since->second <= job.log.committed);
}

void Cluster::CheckResults() {
  if (!breach_.empty()) return;
  int64_t made = 0;
  (void)disk.meta.Scan(master::keys::kJobPrefix, [&](std::string_view, std::string_view) {
    ++made;
    return absl::OkStatus();
  });
  if (made != submitted_) Breach(absl::StrCat(submitted_, " submissions made ", made, " jobs"));
  for (const std::string& id : jobs_) {
    const master::Job* job = JobOf(id);
    const Reference& reference = ledger_.ReferenceOf(id);
    if (job != nullptr && ledger_.expects_lies() && MayHoldLies(*job)) continue;
    if (job == nullptr || job->log.committed != reference.last_round ||
        job->log.commits.at(job->log.committed).names.state_sha256 !=
            reference.states.back().names.state_sha256) {
      Breach(absl::StrCat(id, " did not end with the reference run's state"));
    }
  }
  CountFacts();
}

}  // namespace dl::sim
