#include "tests/sim/executor_connection.h"

#include "tests/sim/master_process.h"

namespace dl::sim {

template <typename ReplyType, typename Request, typename Serve>
StatusOr<ReplyType> ExecutorConnection::Call(const Request& request, size_t bytes,
                                             Duration deadline, Serve serve) {
  const StatusOr<Request> received = Received(request, options_.next_liar());
  return Exchange<ReplyType>(
      bytes, deadline,
      [received, serve, caller = options_.caller, instance = options_.instance](
          MasterProcess& master, auto done) {
        if (!received.ok()) return done(received.status());
        Request message = *received;
        const Status may =
            master.RightsOf(caller, instance).template Admit<rpc::ExecutorService>(message);
        if (!may.ok()) return done(may);
        serve(master, message, done);
      });
}

template <typename ReplyType, typename Request>
StatusOr<ReplyType> ExecutorConnection::Ask(const Request& request, Duration deadline) {
  return Call<ReplyType>(
      request, 0, deadline,
      [executor = options_.caller.executor](MasterProcess& master, const Request& message,
                                            auto done) {
        master.AskFor<ReplyType>(executor, message, done);
      });
}

StatusOr<rpc::Chunk> ExecutorConnection::FetchPart(const rpc::FetchRequest& request,
                                                   Duration deadline) {
  return Call<rpc::Chunk>(request, static_cast<size_t>(request.length), deadline,
                          [](MasterProcess& master, const auto& message, auto done) {
                            done(master.engine().FetchPart(message));
                          });
}

StatusOr<rpc::ContributionReply> ExecutorConnection::Contribute(const rpc::ContributionChunk& chunk,
                                                                Duration deadline) {
  return Call<rpc::ContributionReply>(chunk, chunk.bytes.size(), deadline,
                                      [](MasterProcess& master, const auto& message, auto done) {
                                        done(master.engine().Contribute(message));
                                      });
}

Status ExecutorConnection::OfferPart(const rpc::OfferChunk& chunk, Duration deadline) {
  return Call<std::monostate>(
             chunk, chunk.bytes.size(), deadline,
             [](MasterProcess& master, const auto& message, auto done) {
               const Status status = master.engine().OfferPart(message);
               done(status.ok() ? StatusOr<std::monostate>(std::monostate{}) : status);
             })
      .status();
}

StatusOr<rpc::RegisterReply> ExecutorConnection::Register(const rpc::RegisterRequest& request,
                                                          Duration deadline) {
  return Ask<rpc::RegisterReply>(request, deadline);
}

StatusOr<rpc::HeartbeatReply> ExecutorConnection::Heartbeat(const rpc::HeartbeatRequest& request,
                                                            Duration deadline) {
  return Ask<rpc::HeartbeatReply>(request, deadline);
}

StatusOr<rpc::LeaseReply> ExecutorConnection::LeaseUnits(const rpc::LeaseRequest& request,
                                                         Duration deadline) {
  return Ask<rpc::LeaseReply>(request, deadline);
}

StatusOr<rpc::AnnounceReply> ExecutorConnection::Announce(const rpc::AnnounceRequest& request,
                                                          Duration deadline) {
  return Ask<rpc::AnnounceReply>(request, deadline);
}

Status ExecutorConnection::ReportFailure(const rpc::FailureReport& request, Duration deadline) {
  return Ask<std::monostate>(request, deadline).status();
}

Status ExecutorConnection::Goodbye(const rpc::GoodbyeRequest& request, Duration deadline) {
  return Call<std::monostate>(
             request, 0, deadline,
             [left = options_.left, executor = options_.caller.executor](
                 MasterProcess& master, const rpc::GoodbyeRequest& message, auto done) {
               master.AskFor<std::monostate>(
                   executor, message,
                   [&master, left, session = message.session, done](auto answer) {
                     left(master.core(), session);
                     done(std::move(answer));
                   });
             })
      .status();
}

bool ExecutorConnection::Passes(size_t bytes) {
  const int64_t longest = options_.network->faults.longest_stream;
  if (longest == 0) return true;
  const auto size = static_cast<int64_t>(bytes);
  if (size <= bytes_left_) {
    bytes_left_ -= size;
    return true;
  }
  // The next call opens another connection.
  bytes_left_ = static_cast<int64_t>(options_.random.Bounded(static_cast<uint64_t>(longest) + 1));
  return false;
}

}  // namespace dl::sim
