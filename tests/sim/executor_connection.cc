#include "tests/sim/executor_connection.h"

#include "tests/sim/master_process.h"

namespace dl::sim {

// Returns the answer of the master's core.
template <typename ReplyType, typename Request>
StatusOr<ReplyType> ExecutorConnection::Ask(const Request& request, Duration deadline) {
  return Call<ReplyType>(0, deadline, [request](MasterProcess& master, auto done) {
    master.Ask<ReplyType>(request, done);
  });
}

StatusOr<rpc::Chunk> ExecutorConnection::FetchPart(const rpc::FetchRequest& request,
                                                   Duration deadline) {
  return Call<rpc::Chunk>(
      static_cast<size_t>(request.length), deadline,
      [request](MasterProcess& master, auto done) { done(master.engine().FetchPart(request)); });
}

StatusOr<rpc::ContributionReply> ExecutorConnection::Contribute(const rpc::ContributionChunk& chunk,
                                                                Duration deadline) {
  return Call<rpc::ContributionReply>(
      chunk.bytes.size(), deadline,
      [chunk](MasterProcess& master, auto done) { done(master.engine().Contribute(chunk)); });
}

Status ExecutorConnection::OfferPart(const rpc::OfferChunk& chunk, Duration deadline) {
  return Call<std::monostate>(
             chunk.bytes.size(), deadline,
             [chunk](MasterProcess& master, auto done) {
               const Status status = master.engine().OfferPart(chunk);
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
  return Ask<rpc::AnnounceReply>(master::Understand(request), deadline);
}

Status ExecutorConnection::ReportFailure(const rpc::FailureReport& request, Duration deadline) {
  return Ask<std::monostate>(request, deadline).status();
}

Status ExecutorConnection::Goodbye(const rpc::GoodbyeRequest& request, Duration deadline) {
  return Call<std::monostate>(0, deadline,
                              [request, left = options_.left](MasterProcess& master, auto done) {
                                master.Ask<std::monostate>(
                                    request,
                                    [&master, left, session = request.session, done](auto answer) {
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
