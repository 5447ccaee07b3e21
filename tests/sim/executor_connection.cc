#include "tests/sim/executor_connection.h"

#include "tests/sim/sim_master_process.h"

namespace dl::sim {

template <typename ReplyType, typename Request, typename Serve>
Network::Deliver<ReplyType> ExecutorConnection::Admitted(std::string_view method,
                                                         const Request& request, Serve serve) {
  const StatusOr<Request> received = Received(request, options_.next_liar());
  return [received, serve, method, caller = options_.caller](MasterProcess& master, auto done) {
    if (!received.ok()) return done(received.status());
    Request message = *received;
    const Status may = master.AuthorizeRequest<rpc::ExecutorService>(caller, method, message);
    if (!may.ok()) return done(may);
    serve(master, message, done);
  };
}

template <typename ReplyType, typename Request, typename Serve>
StatusOr<ReplyType> ExecutorConnection::Call(const Request& request, const How& how, Serve serve) {
  return Exchange<ReplyType>(how, Admitted<ReplyType>(how.method, request, serve));
}

template <typename ReplyType, typename Request>
StatusOr<ReplyType> ExecutorConnection::Ask(std::string_view method, const Request& request,
                                            Duration deadline) {
  const auto serve_within = [executor = options_.executor](Duration patience) {
    return [executor, patience](MasterProcess& master, const Request& message, auto done) {
      master.AskFor<ReplyType>(executor, message, patience, done);
    };
  };
  for (int64_t i = Repeats(); i > 0; --i) {
    const Duration patience = options_.random.Bounded(2) == 0 ? deadline : ShortTimeout();
    options_.process->Call<ReplyType>(patience,
                                      Admitted<ReplyType>(method, request, serve_within(patience)),
                                      [](const StatusOr<ReplyType>&) {});
  }
  return Call<ReplyType>(request, {.method = method, .deadline = deadline}, serve_within(deadline));
}

Duration ExecutorConnection::ShortTimeout() {
  constexpr uint64_t kLongestUs = 3'000;  // the time of a usual write
  return std::chrono::microseconds(options_.random.Bounded(kLongestUs));
}

StatusOr<rpc::Chunk> ExecutorConnection::FetchPart(const rpc::FetchRequest& request,
                                                   Duration deadline) {
  return Call<rpc::Chunk>(
      request,
      {.method = "FetchPart",
       .bytes = PartBytes(static_cast<size_t>(request.length)),
       .deadline = deadline},
      [deadline, token = options_.caller.who.token](MasterProcess& master, const auto& message,
                                                    auto done) {
        master.ServeContents<rpc::Chunk>(
            {.method = "FetchPart", .token = token, .deadline = deadline}, message,
            [&master, message] { return master.engine().FetchPart(message); }, done);
      });
}

StatusOr<rpc::ContributionReply> ExecutorConnection::Contribute(const rpc::ContributionChunk& chunk,
                                                                Duration deadline) {
  Flood("Contribute", chunk.bytes.size());
  return Call<rpc::ContributionReply>(
      chunk, {.method = "Contribute", .bytes = chunk.bytes.size(), .deadline = deadline},
      [deadline, token = options_.caller.who.token](MasterProcess& master, const auto& message,
                                                    auto done) {
        master.ServeContents<rpc::ContributionReply>(
            {.method = "Contribute",
             .token = token,
             .bytes = message.bytes.size(),
             .deadline = deadline},
            message, [&master, message] { return master.engine().Contribute(message); }, done);
      });
}

Status ExecutorConnection::OfferPart(const rpc::OfferChunk& chunk, Duration deadline) {
  return Call<std::monostate>(
             chunk,
             {.method = "OfferPart", .bytes = PartBytes(chunk.bytes.size()), .deadline = deadline},
             [deadline, token = options_.caller.who.token](MasterProcess& master,
                                                           const auto& message, auto done) {
               master.ServeContents<std::monostate>(
                   {.method = "OfferPart",
                    .token = token,
                    .bytes = message.bytes.size(),
                    .deadline = deadline},
                   message,
                   [&master, message]() -> StatusOr<std::monostate> {
                     DL_RETURN_IF_ERROR(master.engine().OfferPart(message));
                     return std::monostate{};
                   },
                   done);
             })
      .status();
}

void ExecutorConnection::Flood(std::string_view method, size_t bytes) {
  const bool is_slow = options_.random.Bounded(2) == 0;
  for (int64_t i = Repeats(); i > 0; --i) {
    // A token may not use all of the memory, so slow messages have two tokens. Other messages have
    // one token, whose memory does not suffice for all of them at once.
    const std::string token =
        options_.caller.who.token + (is_slow && i % 2 == 0 ? "" : " (another)");
    options_.process->Call<std::monostate>(
        limits::kMessageDeadline,
        [method, bytes, token, is_slow](MasterProcess& master, auto done) {
          master.ServeContents<std::monostate>(
              {.method = method, .token = token, .bytes = bytes, .is_slow = is_slow},
              std::monostate{}, []() -> StatusOr<std::monostate> { return std::monostate{}; },
              done);
        },
        [](const StatusOr<std::monostate>&) {});
  }
}

StatusOr<rpc::RegisterReply> ExecutorConnection::Register(const rpc::RegisterRequest& request,
                                                          Duration deadline) {
  return Ask<rpc::RegisterReply>("Register", request, deadline);
}

StatusOr<rpc::HeartbeatReply> ExecutorConnection::Heartbeat(const rpc::HeartbeatRequest& request,
                                                            Duration deadline) {
  return Ask<rpc::HeartbeatReply>("Heartbeat", request, deadline);
}

StatusOr<rpc::LeaseReply> ExecutorConnection::LeaseUnits(const rpc::LeaseRequest& request,
                                                         Duration deadline) {
  return Ask<rpc::LeaseReply>("LeaseUnits", request, deadline);
}

StatusOr<rpc::AnnounceReply> ExecutorConnection::Announce(const rpc::AnnounceRequest& request,
                                                          Duration deadline) {
  return Ask<rpc::AnnounceReply>("Announce", request, deadline);
}

Status ExecutorConnection::ReportFailure(const rpc::FailureReport& request, Duration deadline) {
  return Ask<std::monostate>("ReportFailure", request, deadline).status();
}

Status ExecutorConnection::Goodbye(const rpc::GoodbyeRequest& request, Duration deadline) {
  return Call<std::monostate>(
             request, {.method = "Goodbye", .deadline = deadline},
             [left = options_.left, executor = options_.executor, deadline](
                 MasterProcess& master, const rpc::GoodbyeRequest& message, auto done) {
               master.AskFor<std::monostate>(
                   executor, message, deadline,
                   [&master, left, session = message.session, done](auto answer) {
                     if (answer.ok()) left(master.core(), session);
                     done(std::move(answer));
                   });
             })
      .status();
}

bool ExecutorConnection::Passes(size_t bytes) {
  const int64_t longest = options_.network->faults.longest_stream;
  if (longest == 0 && options_.cut_after == 0) return true;
  const auto size = static_cast<int64_t>(bytes);
  if (size <= bytes_left_) {
    bytes_left_ -= size;
    return true;
  }
  // The next call opens another connection.
  bytes_left_ =
      options_.cut_after > 0
          ? options_.cut_after
          : static_cast<int64_t>(options_.random.Bounded(static_cast<uint64_t>(longest) + 1));
  return false;
}

}  // namespace dl::sim
