// A call as the master's server reads it: by Thrift's generated code through our reader, then what
// the services are given.
#include <thrift/TApplicationException.h>
#include <thrift/transport/TBufferTransports.h>

#include <memory>

#include "Master.h"
#include "base/limits.h"
#include "rpc/convert.h"
#include "rpc/message_meter.h"
#include "rpc/thrift_process.h"
#include "rpc/wire_protocol.h"
#include "tests/fuzz/target.h"

namespace dl::fuzz {
namespace {

using apache::thrift::transport::TMemoryBuffer;

// What is asked for before it is taken. The server's limits differ from method to method; this one
// is for all.
class Meter final : public rpc::MessageMeter {
 public:
  void Begin(std::string_view) override { taken_ = 0; }
  void Take(int16_t, int64_t bytes) override {
    Require(bytes >= 0, "nothing takes less than nothing");
    taken_ += bytes;
    if (taken_ > limits::kExecutorMessageBytes) {
      throw apache::thrift::protocol::TProtocolException(
          apache::thrift::protocol::TProtocolException::SIZE_LIMIT);
    }
  }

 private:
  int64_t taken_ = 0;
};

// Whatever the services could be given is written so that it is read as the same.
class Services final : public rpc::wire::MasterNull {
 public:
  bool accepted() const { return accepted_; }

#define DL_FUZZ_CALL(Name, Reply, Request)                                                  \
  void Name(rpc::wire::Reply&, const rpc::wire::Request& request, const int64_t) override { \
    Take<rpc::Request>(request);                                                            \
  }
#define DL_FUZZ_VOID_CALL(Name, Request)                                 \
  void Name(const rpc::wire::Request& request, const int64_t) override { \
    Take<rpc::Request>(request);                                         \
  }
  DL_FUZZ_CALL(Register, RegisterReply, RegisterRequest)
  DL_FUZZ_CALL(Heartbeat, HeartbeatReply, HeartbeatRequest)
  DL_FUZZ_VOID_CALL(Goodbye, GoodbyeRequest)
  DL_FUZZ_CALL(LeaseUnits, LeaseReply, LeaseRequest)
  DL_FUZZ_CALL(Announce, AnnounceReply, AnnounceRequest)
  DL_FUZZ_VOID_CALL(ReportFailure, FailureReport)
  DL_FUZZ_CALL(FetchJob, FetchJobReply, FetchJobRequest)
  DL_FUZZ_CALL(FetchPart, Chunk, FetchRequest)
  DL_FUZZ_CALL(FetchBlock, Chunk, FetchRequest)
  DL_FUZZ_CALL(Contribute, ContributionReply, ContributionChunk)
  DL_FUZZ_VOID_CALL(OfferPart, OfferChunk)
  DL_FUZZ_CALL(MissingBlocks, MissingBlocksReply, MissingBlocksRequest)
  DL_FUZZ_VOID_CALL(PutBlocks, PutBlocksRequest)
  DL_FUZZ_CALL(Submit, SubmitReply, SubmitRequest)
  DL_FUZZ_CALL(Act, JobActionReply, JobActionRequest)
  DL_FUZZ_CALL(Query, QueryReply, QueryRequest)
  DL_FUZZ_CALL(Events, EventsReply, EventsRequest)
  DL_FUZZ_CALL(FetchCheckpoint, Chunk, FetchRequest)
  DL_FUZZ_CALL(Drain, DrainReply, DrainRequest)
  DL_FUZZ_CALL(Measure, MeasureReply, MeasureRequest)
  DL_FUZZ_CALL(CreateToken, CreateTokenReply, CreateTokenRequest)
  DL_FUZZ_CALL(ListTokens, ListTokensReply, ListTokensRequest)
  DL_FUZZ_VOID_CALL(RevokeToken, RevokeTokenRequest)
#undef DL_FUZZ_CALL
#undef DL_FUZZ_VOID_CALL

 private:
  template <typename Request>
  void Take(const typename rpc::WireOf<Request>::Type& wire) {
    const auto message = rpc::FromWire<Request>(wire);
    if (!message.ok()) {
      Require(!message.status().message().empty(), "an error says what");
      return;
    }
    accepted_ = true;
    auto again = rpc::ToWire(Request(*message));
    Require(again.ok(), "a message that was taken can be sent: " + again.status().ToString());
    const auto same = rpc::FromWire<Request>(*std::move(again));
    // Text, for a number that is none equals not even itself.
    Require(same.ok(), "a message that was taken and sent is taken again");
  }

  bool accepted_ = false;
};

}  // namespace

bool FuzzWire(std::string_view bytes) {
  rpc::PrepareThrift();  // else it prints a line for each
  const auto in = std::make_shared<TMemoryBuffer>();
  in->write(reinterpret_cast<const uint8_t*>(bytes.data()), static_cast<uint32_t>(bytes.size()));
  const auto services = std::make_shared<Services>();
  const auto protocol = std::make_shared<rpc::WireProtocol>(in);
  Meter meter;
  protocol->SetMeter(&meter);
  rpc::wire::MasterProcessor processor(services);
  try {
    processor.process(
        protocol, std::make_shared<rpc::WireProtocol>(std::make_shared<TMemoryBuffer>()), nullptr);
  } catch (const apache::thrift::TException&) {
    return false;
  }
  return services->accepted();
}

}  // namespace dl::fuzz
