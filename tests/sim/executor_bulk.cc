#include "tests/sim/executor_bulk.h"

#include "averaging/partial_sum.h"
#include "master/core/keys.h"

namespace dl::sim {

void ExecutorBulk::Do(const executor::SendContribution& effect) {
  const auto found = shop_.results.find(effect.lease);
  DL_CHECK(found != shop_.results.end());
  shop_.process.Call<rpc::ContributionReply>(
      kCallDeadline,
      [effect, bytes = found->second](MasterProcess& master, auto done) {
        done(master.engine().Contribute(effect.session, effect.unit, effect.hash, bytes));
      },
      [this, session = effect.session, lease = effect.lease,
       unit = effect.unit](StatusOr<rpc::ContributionReply> reply) {
        shop_.handle(executor::ContributionSent{session, lease, unit, std::move(reply)});
      });
}

std::string ExecutorBulk::ContentOf(const executor::SendGather& effect) {
  const rpc::Gather& gather = effect.gather;
  std::string content;
  const auto append = [&](std::span<const std::byte> bytes) {
    content.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  if (!gather.sum) {
    append(BytesOf(shop_.results.at(effect.computations.front())));
    return content;
  }
  const SimJob job = JobFromSpec(shop_.disk->specs.at(gather.job));
  const auto strategy = StrategyOf(job);
  auto sum = averaging::PartialSum::Create(strategy->layout(), gather.exponents, gather.weight_sum);
  DL_CHECK(sum.ok());
  for (size_t i = 0; i < gather.inputs.size(); ++i) {
    DL_CHECK(sum->Add(shop_.results.at(effect.computations[i]), gather.inputs[i].weight, {}).ok());
  }
  for (const auto piece : sum->pieces()) append(piece);
  if (shop_.random.NextDouble() < shop_.faults.wrong_sums)
    content[0] = static_cast<char>(content[0] ^ 1);
  return content;
}

void ExecutorBulk::Do(const executor::SendGather& effect) {
  // In two messages: between them much may happen.
  const auto send = [this, session = effect.session, gather = effect.gather,
                     content = ContentOf(effect)](
                        bool last, std::function<void(rpc::ContributionReply)> then) {
    shop_.process.Call<rpc::ContributionReply>(
        kCallDeadline,
        [session, gather, content, last](MasterProcess& master, auto done) {
          done(master.engine().Gather(session, gather.job, gather.number, content, last));
        },
        [this, session, number = gather.number,
         then = std::move(then)](StatusOr<rpc::ContributionReply> reply) {
          if (reply.ok() && reply->receipt == rpc::Receipt::kMore) return then(*reply);
          shop_.handle(executor::GatherSent{session, number, std::move(reply)});
        });
  };
  send(false, [send](rpc::ContributionReply) { send(true, [](rpc::ContributionReply) {}); });
}

void ExecutorBulk::Do(const executor::OfferPart& effect) {
  const Vector* part = shop_.parts.Find(effect.sha256);
  if (part == nullptr) return;
  shop_.process.Call<std::monostate>(
      kCallDeadline,
      [effect, bytes = *part](MasterProcess& master, auto done) {
        const Status status = master.engine().Offer(effect.job, effect.sha256, bytes);
        done(status.ok() ? StatusOr<std::monostate>(std::monostate{}) : status);
      },
      [](StatusOr<std::monostate>) {});
}

}  // namespace dl::sim
