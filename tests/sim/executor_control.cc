#include "tests/sim/executor_control.h"

namespace dl::sim {

void ExecutorControl::Do(const executor::SendRegister& effect) {
  rpc::RegisterRequest request = effect.request;
  if (!options_.also_isa.empty())
    request.contracts.push_back({ContractOf(options_.also_isa), options_.also_isa});
  request.held_parts = shop_.parts.Names();
  shop_.process.Call<rpc::RegisterReply>(
      kCallDeadline,
      [request](MasterProcess& master, auto done) {
        master.Ask<rpc::RegisterReply>(request, done);
      },
      [this](StatusOr<rpc::RegisterReply> reply) {
        shop_.handle(executor::RegisterAnswered{std::move(reply)});
      });
}

void ExecutorControl::Do(const executor::SendHeartbeat& effect) {
  rpc::HeartbeatRequest request = effect.request;
  for (rpc::UnitProgress& unit : request.running)
    unit.computing = shop_.in_kernels.contains(unit.lease);
  shop_.process.Call<rpc::HeartbeatReply>(
      kCallDeadline,
      [request](MasterProcess& master, auto done) {
        master.Ask<rpc::HeartbeatReply>(request, done);
      },
      [this, session = effect.request.session](StatusOr<rpc::HeartbeatReply> reply) {
        shop_.handle(executor::HeartbeatAnswered{session, std::move(reply)});
      });
}

void ExecutorControl::Do(const executor::SendLease& effect) {
  shop_.process.Call<rpc::LeaseReply>(
      std::chrono::milliseconds(effect.request.wait_ms) + kCallDeadline,
      [request = effect.request](MasterProcess& master, auto done) {
        master.Ask<rpc::LeaseReply>(request, done);
      },
      [this, session = effect.request.session](StatusOr<rpc::LeaseReply> reply) {
        shop_.handle(executor::LeaseAnswered{session, std::move(reply)});
      });
}

void ExecutorControl::Do(const executor::SendAnnounce& effect) {
  shop_.process.Call<rpc::AnnounceReply>(
      kCallDeadline,
      [request = effect.request](MasterProcess& master, auto done) {
        master.Ask<rpc::AnnounceReply>(master::Understand(request), done);
      },
      [this, session = effect.request.session, lease = effect.request.lease,
       unit = effect.request.unit](StatusOr<rpc::AnnounceReply> reply) {
        shop_.handle(executor::AnnounceAnswered{session, lease, unit, std::move(reply)});
      });
}

void ExecutorControl::Do(const executor::SendFailure& effect) {
  shop_.process.Call<std::monostate>(
      kCallDeadline,
      [request = effect.request](MasterProcess& master, auto done) {
        master.Ask<std::monostate>(request, done);
      },
      [this, session = effect.request.session, lease = effect.lease,
       unit = effect.request.unit](StatusOr<std::monostate> reply) {
        shop_.handle(executor::FailureReported{session, lease, unit, reply.status()});
      });
}

void ExecutorControl::Do(const executor::SendGoodbye& effect) {
  shop_.process.Call<std::monostate>(
      kCallDeadline,
      [request = effect.request, left = options_.left](MasterProcess& master, auto done) {
        master.Ask<std::monostate>(request,
                                   [&master, left, session = request.session, done](auto answer) {
                                     left(master.core(), session);
                                     done(std::move(answer));
                                   });
      },
      [this](StatusOr<std::monostate>) { shop_.handle(executor::GoodbyeAnswered{}); });
}

}  // namespace dl::sim
