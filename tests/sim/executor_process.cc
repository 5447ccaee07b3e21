#include "tests/sim/executor_process.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "averaging/partial_sum.h"
#include "base/checksum.h"
#include "master/core/keys.h"

namespace dl::sim {
namespace {

constexpr Duration kControl = std::chrono::seconds(5);
constexpr size_t kPartsKept = 12;

}  // namespace

ExecutorProcess::ExecutorProcess(Options options)
    : options_(options),
      random_({.seed = options.seed, .a = 4, .b = options.incarnation}),
      core_({.name = options.name,
             .incarnation = options.incarnation,
             .slots = options.slots,
             .contract = ContractOf(options.isa),
             .isa = options.isa,
             .unit_memory_bytes = options.unit_memory,
             .crashed = options.crashed},
            options.time->now()) {
  Later({}, [this] { Handle(executor::Tick{}); });
}

void ExecutorProcess::Post(std::function<void()> action) {
  if (paused_) {
    backlog_.push_back(std::move(action));
  } else {
    action();
  }
}

void ExecutorProcess::Later(Duration wait, std::function<void()> action) {
  options_.time->After(wait,
                       [this, alive = std::weak_ptr<bool>(alive_), action = std::move(action)] {
                         if (!alive.expired()) Post(action);
                       });
}

void ExecutorProcess::Pause() { paused_ = true; }

void ExecutorProcess::Continue() {
  paused_ = false;
  while (!backlog_.empty() && !paused_) {
    const std::function<void()> action = std::move(backlog_.front());
    backlog_.pop_front();
    action();
  }
}

void ExecutorProcess::Drain() {
  Post([this] { Handle(executor::DrainRequested{}); });
}

void ExecutorProcess::Stop() {
  Post([this] { Handle(executor::StopRequested{}); });
}

void ExecutorProcess::Crash(uint64_t culprit) {
  if (exited_) return;
  std::vector<rpc::CrashedUnit> note;
  for (const auto& [number, lease] : computing_) {
    if (culprit != 0 && culprit != number) continue;
    note.push_back({.unit = lease.unit, .spec_sha256 = lease.spec_sha256, .signal = "SIGSEGV"});
    options_.trouble(lease.unit, Ledger::Trouble::kOther);
  }
  exited_ = true;
  options_.ended(std::move(note));
}

void ExecutorProcess::Do(const executor::Exit&) {
  exited_ = true;
  options_.ended({});
}

void ExecutorProcess::Handle(const executor::Event& event) {
  if (exited_) return;
  for (const executor::Effect& effect : core_.Step(event, options_.time->now())) {
    std::visit([this](const auto& e) { Do(e); }, effect);
  }
  SetTimer();
}

void ExecutorProcess::SetTimer() {
  const Instant next = core_.NextDeadline();
  if (next == Instant::Max() || (timer_ <= next && timer_ > options_.time->now())) return;
  timer_ = std::max(next, options_.time->now());
  Later(timer_ - options_.time->now(), [this, at = timer_] {
    if (timer_ != at) return;
    timer_ = Instant::Max();
    Handle(executor::Tick{});
  });
}

template <typename ReplyType>
void ExecutorProcess::Call(Duration deadline, Network::Deliver<ReplyType> deliver,
                           Network::Done<ReplyType> done) {
  auto post = [this, alive = std::weak_ptr<bool>(alive_)](std::function<void()> action) {
    if (!alive.expired()) Post(std::move(action));
  };
  options_.network->Call<ReplyType>(cut_off_, post, deadline, std::move(deliver), std::move(done));
}

void ExecutorProcess::Do(const executor::SendRegister& effect) {
  rpc::RegisterRequest request = effect.request;
  if (!options_.also_isa.empty())
    request.contracts.push_back({ContractOf(options_.also_isa), options_.also_isa});
  for (const auto& [sha256, part] : parts_) request.held_parts.push_back(sha256);
  Call<rpc::RegisterReply>(
      kControl,
      [request](MasterProcess& master, auto done) {
        master.Ask<rpc::RegisterReply>(request, done);
      },
      [this](StatusOr<rpc::RegisterReply> reply) {
        Handle(executor::RegisterAnswered{std::move(reply)});
      });
}

void ExecutorProcess::Do(const executor::SendHeartbeat& effect) {
  Call<rpc::HeartbeatReply>(
      kControl,
      [request = effect.request](MasterProcess& master, auto done) {
        master.Ask<rpc::HeartbeatReply>(request, done);
      },
      [this, session = effect.request.session](StatusOr<rpc::HeartbeatReply> reply) {
        Handle(executor::HeartbeatAnswered{session, std::move(reply)});
      });
}

void ExecutorProcess::Do(const executor::SendLease& effect) {
  Call<rpc::LeaseReply>(
      std::chrono::milliseconds(effect.request.wait_ms) + kControl,
      [request = effect.request](MasterProcess& master, auto done) {
        master.Ask<rpc::LeaseReply>(request, done);
      },
      [this, session = effect.request.session](StatusOr<rpc::LeaseReply> reply) {
        Handle(executor::LeaseAnswered{session, std::move(reply)});
      });
}

void ExecutorProcess::Do(const executor::SendAnnounce& effect) {
  Call<rpc::AnnounceReply>(
      kControl,
      [request = effect.request](MasterProcess& master, auto done) {
        master.Ask<rpc::AnnounceReply>(master::Understand(request), done);
      },
      [this, session = effect.request.session, lease = effect.request.lease,
       unit = effect.request.unit](StatusOr<rpc::AnnounceReply> reply) {
        Handle(executor::AnnounceAnswered{session, lease, unit, std::move(reply)});
      });
}

void ExecutorProcess::Do(const executor::SendFailure& effect) {
  Call<std::monostate>(
      kControl,
      [request = effect.request](MasterProcess& master, auto done) {
        master.Ask<std::monostate>(request, done);
      },
      [this, session = effect.request.session, lease = effect.lease,
       unit = effect.request.unit](StatusOr<std::monostate> reply) {
        Handle(executor::FailureReported{session, lease, unit, reply.status()});
      });
}

void ExecutorProcess::Do(const executor::SendGoodbye& effect) {
  Call<std::monostate>(
      kControl,
      [request = effect.request, left = options_.left](MasterProcess& master, auto done) {
        master.Ask<std::monostate>(request,
                                   [&master, left, session = request.session, done](auto answer) {
                                     left(master.core(), session);
                                     done(std::move(answer));
                                   });
      },
      [this](StatusOr<std::monostate>) { Handle(executor::GoodbyeAnswered{}); });
}

void ExecutorProcess::Do(const executor::SendContribution& effect) {
  const auto found = results_.find(effect.lease);
  DL_CHECK(found != results_.end());
  Call<rpc::ContributionReply>(
      kControl,
      [effect, bytes = found->second](MasterProcess& master, auto done) {
        done(master.engine().Contribute(effect.session, effect.unit, effect.hash, bytes));
      },
      [this, session = effect.session, lease = effect.lease,
       unit = effect.unit](StatusOr<rpc::ContributionReply> reply) {
        Handle(executor::ContributionSent{session, lease, unit, std::move(reply)});
      });
}

void ExecutorProcess::Do(const executor::SendGather& effect) {
  const rpc::Gather& gather = effect.gather;
  const SimJob job = JobFromSpec(options_.disk->meta.Get(master::keys::Spec(gather.job))->value());
  const auto strategy = StrategyOf(job);
  const averaging::StateLayout& layout = strategy->layout();
  std::string content;
  const auto append = [&](std::span<const std::byte> bytes) {
    content.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  if (gather.sum) {
    auto sum = averaging::PartialSum::Create(layout, gather.exponents, gather.weight_sum);
    DL_CHECK(sum.ok());
    for (size_t i = 0; i < gather.inputs.size(); ++i) {
      DL_CHECK(sum->Add(results_.at(effect.computations[i]), gather.inputs[i].weight, {}).ok());
    }
    for (const auto piece : sum->pieces()) append(piece);
    if (random_.NextDouble() < options_.wrong_sums) content[0] = static_cast<char>(content[0] ^ 1);
  } else {
    append(BytesOf(results_.at(effect.computations.front())));
  }
  // In two messages: between them much may happen.
  const auto send = [this, session = effect.session, gather, content](
                        bool last, std::function<void(rpc::ContributionReply)> then) {
    Call<rpc::ContributionReply>(
        kControl,
        [session, gather, content, last](MasterProcess& master, auto done) {
          done(master.engine().Gather(session, gather.job, gather.number, content, last));
        },
        [this, session, number = gather.number,
         then = std::move(then)](StatusOr<rpc::ContributionReply> reply) {
          if (reply.ok() && reply->receipt == rpc::Receipt::kMore) return then(*reply);
          Handle(executor::GatherSent{session, number, std::move(reply)});
        });
  };
  send(false, [send](rpc::ContributionReply) { send(true, [](rpc::ContributionReply) {}); });
}

void ExecutorProcess::Do(const executor::OfferPart& effect) {
  for (const auto& [sha256, part] : parts_) {
    if (sha256 != effect.sha256) continue;
    Call<std::monostate>(
        kControl,
        [effect, bytes = part](MasterProcess& master, auto done) {
          const Status status = master.engine().Offer(effect.job, effect.sha256, bytes);
          done(status.ok() ? StatusOr<std::monostate>(std::monostate{}) : status);
        },
        [](StatusOr<std::monostate>) {});
    return;
  }
}

void ExecutorProcess::Do(const executor::RunUnit& effect) {
  const rpc::Lease& lease = effect.lease;
  computing_[lease.lease] = lease;
  FetchRest(lease, {});
}

// The parts that the lease names, one after the other.
void ExecutorProcess::FetchRest(const rpc::Lease& lease, Base have) {
  if (have.size() == lease.parts.size()) return ComputeUnit(lease, have);
  const rpc::NamedPart& next = lease.parts[have.size()];
  FetchThen(lease, next.sha256, [this, lease, next, have = std::move(have)](Vector part) mutable {
    have.emplace(next.name, std::move(part));
    FetchRest(lease, std::move(have));
  });
}

// Its thread comes back a little later.
void ExecutorProcess::Do(const executor::AbortUnit& effect) {
  if (computing_.erase(effect.lease) == 0) return;
  const Duration soon = std::chrono::milliseconds(random_.Bounded(100));
  Later(soon, [this, effect] {
    Handle(executor::UnitFailed{effect.lease, effect.unit, Cancelled({.message = "aborted"})});
  });
}

void ExecutorProcess::FetchThen(const rpc::Lease& lease, const std::string& sha256,
                                std::function<void(Vector)> then) {
  if (!computing_.contains(lease.lease)) return;
  for (const auto& [name, part] : parts_) {
    if (name == sha256) return then(part);
  }
  Call<Vector>(
      kControl,
      [job = lease.unit.job, sha256](MasterProcess& master, auto done) {
        done(master.engine().Fetch(job, sha256));
      },
      [this, lease, sha256, then](StatusOr<Vector> part) {
        if (!computing_.contains(lease.lease)) return;
        if (part.ok()) {
          Remember(sha256, *part);
          return then(*std::move(part));
        }
        computing_.erase(lease.lease);
        Handle(executor::UnitFailed{lease.lease, lease.unit, part.status(), rpc::Fault::kNetwork});
      });
}

void ExecutorProcess::ComputeUnit(const rpc::Lease& lease, const Base& base) {
  const auto took = std::chrono::microseconds(
      1000 +
      random_.Bounded(static_cast<uint64_t>(options_.unit_time / std::chrono::microseconds(1))));
  Later(took, [this, lease, base] { EndUnit(lease, base); });
}

void ExecutorProcess::EndUnit(const rpc::Lease& lease, const Base& base) {
  if (exited_ || !computing_.contains(lease.lease)) return;
  const SimJob job =
      JobFromSpec(options_.disk->meta.Get(master::keys::Spec(lease.unit.job))->value());
  const bool train = lease.unit.kind == UnitKind::kTrain;
  const SimJob::Fate fate = job.Befalls(lease.unit) ? job.fate : SimJob::Fate::kNone;
  if (fate == SimJob::Fate::kCrash || random_.NextDouble() < options_.crashing)
    return Crash(random_.Bounded(4) == 0 ? 0 : lease.lease);
  computing_.erase(lease.lease);
  const bool no_number = train && random_.NextDouble() < options_.not_finite;
  if (fate == SimJob::Fate::kNotFinite || no_number) {
    options_.trouble(lease.unit, Ledger::Trouble::kNotFinite);
    return Handle(executor::UnitFailed{
        .lease = lease.lease,
        .unit = lease.unit,
        .status = InvalidArgument({.message = "a loss is no number (planted)", .where = "loss"}),
        .not_finite = true});
  }
  if (random_.NextDouble() < options_.failing) {
    options_.trouble(lease.unit, Ledger::Trouble::kOther);
    return Handle(executor::UnitFailed{
        lease.lease, lease.unit,
        Internal({.message = "a kernel failed (planted)", .where = "layer 1"})});
  }
  Outcome outcome = Compute(
      job, lease.unit, {base, lease.base_sha256, lease.expected_contract, lease.earlier_updates});
  if (train && random_.NextDouble() < options_.wrong) Lie(outcome);
  results_[lease.lease] = std::move(outcome.bytes);
  Handle(executor::UnitFinished{lease.lease, lease.unit, {outcome.announcement}});
}

// A bit that memory lost, never the same twice: of the result, or of what is said of it, whose hash
// of the bytes is right then.
void ExecutorProcess::Lie(Outcome& outcome) {
  rpc::AnnounceRequest& said = outcome.announcement;
  switch (random_.Bounded(3)) {
    case 0:
      said.example_hash_sum ^= 1 + random_.Bounded(1 << 20);
      break;
    case 1: {
      Json metrics = Json::parse(said.metrics);
      const int64_t sum = std::stoll(metrics["loss_sum"].get<std::string>());
      metrics["loss_sum"] = absl::StrCat(sum ^ static_cast<int64_t>(1 + random_.Bounded(1 << 20)));
      said.metrics = metrics.dump();
      break;
    }
    default:
      outcome.bytes[0] = outcome.bytes[0] * 0.5f + static_cast<float>(random_.NextDouble()) * 1e-3f;
      said.hash = Xxh3(BytesOf(outcome.bytes));
  }
}

void ExecutorProcess::Remember(const std::string& sha256, Vector part) {
  parts_.emplace_back(sha256, std::move(part));
  if (parts_.size() > kPartsKept) parts_.pop_front();
}

}  // namespace dl::sim
