// The master's service for a simulated executor's threads: calls that wait for their answers, over
// connections that may be cut during a transfer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/philox.h"
#include "rpc/messages.h"
#include "rpc/service.h"
#include "tests/sim/liar.h"
#include "tests/sim/sim_network.h"
#include "tests/sim/stoppable_process.h"
#include "tests/sim/virtual_thread.h"

namespace dl::sim {

class ExecutorConnection final : public rpc::ExecutorService {
 public:
  struct Options {
    StoppableProcess* process = nullptr;
    Network* network = nullptr;
    RandomStream random;
    std::string executor;  // name of the executor
    MasterProcess::Caller caller;
    std::function<Liar*()> next_liar;  // alters the next message, or null
    int64_t flood = 0;                 // as ExecutorFaults::flood
    // Number of bytes of contributions after which each connection is cut; 0: connections are not
    // cut.
    int64_t cut_after = 0;
    // Called when the master acknowledged the goodbye. A master that stops, or that has too many
    // requests, refuses it, and the session ends later.
    std::function<void(const master::Core&, uint64_t session)> left;
  };
  explicit ExecutorConnection(Options options)
      : options_(std::move(options)), bytes_left_(options_.cut_after) {}

  StatusOr<rpc::Chunk> FetchPart(const rpc::FetchRequest& request, Duration deadline) override;
  StatusOr<rpc::ContributionReply> Contribute(const rpc::ContributionChunk& chunk,
                                              Duration deadline) override;
  Status OfferPart(const rpc::OfferChunk& chunk, Duration deadline) override;

  StatusOr<rpc::RegisterReply> Register(const rpc::RegisterRequest& request,
                                        Duration deadline) override;
  StatusOr<rpc::HeartbeatReply> Heartbeat(const rpc::HeartbeatRequest& request,
                                          Duration deadline) override;
  Status Goodbye(const rpc::GoodbyeRequest& request, Duration deadline) override;
  StatusOr<rpc::LeaseReply> LeaseUnits(const rpc::LeaseRequest& request,
                                       Duration deadline) override;
  StatusOr<rpc::AnnounceReply> Announce(const rpc::AnnounceRequest& request,
                                        Duration deadline) override;
  Status ReportFailure(const rpc::FailureReport& request, Duration deadline) override;

  // Executors of the simulator read specs from the disk, and have no blocks.
  StatusOr<rpc::FetchJobReply> FetchJob(const rpc::FetchJobRequest&, Duration) override {
    return NotFound({.message = "not in the simulator"});
  }
  StatusOr<rpc::Chunk> FetchBlock(const rpc::FetchRequest&, Duration) override {
    return NotFound({.message = "not in the simulator"});
  }
  void ConnectionLost(uint64_t) override {}

 private:
  // Returns false if the connection is cut before these bytes have passed.
  bool Passes(size_t bytes);
  struct How {
    std::string_view method;
    size_t bytes = 0;  // bytes of contents
    Duration deadline;
  };
  // Returns what calls `serve(master, message, done)` in the master's process, with the message as
  // its server admits it.
  template <typename ReplyType, typename Request, typename Serve>
  Network::Deliver<ReplyType> Admitted(std::string_view method, const Request& request,
                                       Serve serve);
  template <typename ReplyType, typename Request, typename Serve>
  StatusOr<ReplyType> Call(const Request& request, const How& how, Serve serve);
  template <typename ReplyType>
  StatusOr<ReplyType> Exchange(const How& how, Network::Deliver<ReplyType> deliver);

  // Returns how often the next message is repeated. The executor does not read the answers to the
  // copies. The callers of some copies give up early.
  int64_t Repeats() {
    return options_.flood > 0 && options_.random.Bounded(4) == 0 ? options_.flood : 0;
  }
  Duration ShortTimeout();
  // Opens connections that send messages of this size, slowly or all at once.
  void Flood(std::string_view method, size_t bytes);
  // Returns the answer of the master's core.
  template <typename ReplyType, typename Request>
  StatusOr<ReplyType> Ask(std::string_view method, const Request& request, Duration deadline);
  // Returns the bytes of a part's chunk that count for Passes(). A path that cuts after a fixed
  // number of bytes does not count parts, because their transfers start again from the first byte.
  size_t PartBytes(size_t bytes) const { return options_.cut_after > 0 ? 0 : bytes; }

  Options options_;
  int64_t bytes_left_;  // of the open connection
};

template <typename ReplyType>
StatusOr<ReplyType> ExecutorConnection::Exchange(const How& how,
                                                 Network::Deliver<ReplyType> deliver) {
  // Shared with the answer, which may arrive after the caller has given up.
  const auto reply = std::make_shared<std::optional<StatusOr<ReplyType>>>();
  VirtualThread& thread = VirtualThread::Current();
  const auto done = [reply, &thread](StatusOr<ReplyType> answer) {
    *reply = std::move(answer);
    thread.Run();
  };
  if (Passes(how.bytes)) {
    options_.process->Call<ReplyType>(how.deadline, std::move(deliver), done);
  } else {
    options_.process->Later(options_.network->Delay(), [done] {
      done(Unavailable({.message = "the connection was cut (planted)"}));
    });
  }
  thread.WaitUntil([&] { return reply->has_value(); });
  if (!*reply) return Unavailable({.message = "the process ends"});
  return **std::move(reply);
}

}  // namespace dl::sim
