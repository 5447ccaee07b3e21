#include "tests/sim/executor_machine.h"

#include <algorithm>

namespace dl::sim {
namespace {

// Whether the contract exists. Otherwise a liar invented it, and a job with it may leave it.
bool IsContract(const std::string& text) {
  return text == ContractOf("avx2") || text == ContractOf("avx512") ||
         text == nn::PortableContract();
}

bool Offers(const ExecutorSetup& setup, const std::string& contract) {
  return ContractOf(setup.isa) == contract ||
         (!setup.also_isa.empty() && ContractOf(setup.also_isa) == contract) ||
         (setup.has_portable && nn::PortableContract() == contract);
}

}  // namespace

ExecutorMachine::ExecutorMachine(Options options, ExecutorSetup setup)
    : options_(std::move(options)), setup_(std::move(setup)) {
  LeaseRules& leases = options_.rules->leases;
  caller_ = options_.disk->Introduce({.owner = "operator",
                                      .role = security::Role::kExecute,
                                      .executor = setup_.has_name_alone ? options_.name : ""});
  leases.AddContract(options_.name, ContractOf(setup_.isa));
  if (!setup_.also_isa.empty()) leases.AddContract(options_.name, ContractOf(setup_.also_isa));
  if (setup_.has_portable) leases.AddContract(options_.name, nn::PortableContract());
  leases.SetLabels(options_.name, setup_.labels);
  if (setup_.unit_memory > 0) leases.SetMemory(options_.name, setup_.unit_memory);
}

void ExecutorMachine::Start() {
  if (process_) return;
  started_ = options_.time->now();
  process_ = std::make_unique<ExecutorProcess>(ExecutorProcess::Options{
      .time = options_.time,
      .scheduler = options_.scheduler,
      .network = options_.network,
      .disk = options_.disk,
      .seed = options_.seed,
      .name = options_.name,
      .caller = caller_,
      .altered = [this](const std::string& field) { options_.report->lies.insert(field); },
      .incarnation = ++incarnation_,
      .slots = setup_.slots,
      .isa = setup_.isa,
      .also_isa = setup_.also_isa,
      .has_portable = setup_.has_portable,
      .crashed = std::exchange(note_, {}),
      .unit_memory = setup_.unit_memory,
      .labels = setup_.labels,
      .unit_time = setup_.unit_time,
      .chunk_bytes = setup_.chunk_bytes,
      .cut_after = setup_.cut_after,
      .faults = setup_.faults,
      .trouble = [this](const UnitId& unit,
                        Trouble what) { options_.rules->failures.Note(unit, options_.name, what); },
      .killed = [this](const UnitId& unit) { KilledAt(unit); },
      .left = [this](const master::Core& core,
                     uint64_t session) { options_.rules->leases.CheckLeft(core, session); },
      .ended = [this](std::vector<rpc::CrashedUnit> note) { Ended(std::move(note)); },
      .restart =
          [this] {
            ++options_.report->started_anew;
            options_.time->After(Duration{}, [this] {
              Kill();
              Start();
            });
          }});
}

void ExecutorMachine::WithThisOne(Duration wait, std::function<void(ExecutorProcess&)> action) {
  options_.time->After(wait, [this, was = incarnation_, action = std::move(action)] {
    if (process_ && incarnation_ == was) action(*process_);
  });
}

void ExecutorMachine::Ended(std::vector<rpc::CrashedUnit> note) {
  WithThisOne({}, [this, note = std::move(note)](ExecutorProcess&) {
    ++(note.empty() ? options_.report->left : options_.report->crashes);
    note_ = note;
    Kill();
    const Duration pause = std::chrono::milliseconds(options_.pauses->Bounded(4000));
    options_.time->After(pause, [this] { Start(); });
  });
}

void ExecutorMachine::LetLeave(Duration limit) {
  // Includes time for which it may be stopped.
  constexpr Duration kGoodbye = std::chrono::seconds(60);
  process_->Drain();
  WithThisOne(limit, [](ExecutorProcess& executor) { executor.Stop(); });
  WithThisOne(limit + kGoodbye, [this](ExecutorProcess& executor) {
    options_.breach(executor.name() + " was told to stop and is still there");
  });
}

void ExecutorMachine::KilledAt(const UnitId& unit) {
  options_.rules->failures.RecordKilled(unit, options_.name, options_.time->now(),
                                        options_.report->master_starts);
  WithThisOne({}, [this](ExecutorProcess&) {
    Kill();
    const Duration pause = std::chrono::milliseconds(options_.pauses->Bounded(1000));
    options_.time->After(pause, [this] { Start(); });
  });
}

void ExecutorMachine::Ruin(const ExecutorFaults& faults) {
  setup_.faults = faults;
  setup_.incurable = true;
  if (faults.lies.share == 0) return;
  options_.rules->leases.RecordLiar(options_.name);
  options_.rules->peers.RecordLiar(options_.name);
}

bool ExecutorMachine::IsAbleFor(const master::Job& job, Duration time) const {
  const auto& needs = job.record.scheduling.needs;
  return process_ != nullptr && !process_->paused() && !process_->cut_off() && !setup_.incurable &&
         options_.time->now() - started_ >= time &&
         (Offers(setup_, job.record.contract) || !IsContract(job.record.contract)) &&
         (setup_.unit_memory == 0 || setup_.unit_memory >= job.definition.unit_bytes) &&
         std::ranges::all_of(needs, [&](const std::string& label) {
           return std::ranges::find(setup_.labels, label) != setup_.labels.end();
         });
}

void ExecutorMachine::Heal() {
  if (setup_.incurable) return;
  // A stuck delivery takes longer to be noticed than the faults last. A flood continues.
  setup_.faults = {.stuck_gathers = setup_.faults.stuck_gathers / 5, .flood = setup_.faults.flood};
  process_->SetFaults(setup_.faults);
}

void ExecutorMachine::Kill(bool connection_closes) {
  if (!process_) return;
  const uint64_t session = process_->session();
  process_.reset();
  if (!connection_closes || session == 0) return;
  options_.time->After(options_.network->Delay(), [this, session] {
    if (options_.master->process) options_.master->process->Disconnect(session);
  });
}

}  // namespace dl::sim
