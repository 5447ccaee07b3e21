// A call as the master's server reads it: Thrift's generated code with the product's protocol
// reader, then the conversion for the services.
#include <thrift/TApplicationException.h>
#include <thrift/transport/TBufferTransports.h>

#include <memory>
#include <string>

#include "Master.h"
#include "base/limits.h"
#include "rpc/convert.h"
#include "rpc/message_meter.h"
#include "rpc/thrift_process.h"
#include "rpc/wire_protocol.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/unit/rpc/methods.h"

namespace dl::fuzz {
namespace {

using apache::thrift::transport::TMemoryBuffer;

// Requires that bytes are claimed before they arrive. The server's limits differ by method; this
// limit applies to all methods.
class Meter final : public rpc::MessageMeter {
 public:
  void Begin(std::string_view) override { claimed_ = arrived_ = 0; }
  void ReceiveBytes(int64_t bytes) override {
    arrived_ += bytes;
    Require(arrived_ <= claimed_, "what arrives was claimed before");
  }
  void AnnounceBytes(int16_t, int64_t bytes) override {
    Require(bytes >= 0, "nothing takes less than nothing");
    claimed_ += bytes;
    if (claimed_ > limits::kExecutorMessageBytes) {
      throw apache::thrift::protocol::TProtocolException(
          apache::thrift::protocol::TProtocolException::SIZE_LIMIT);
    }
  }

 private:
  int64_t claimed_ = 0;
  int64_t arrived_ = 0;
};

// Every message that the services could receive must be written in a form that reads as equal.
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
  DL_RPC_METHODS(DL_FUZZ_CALL, DL_FUZZ_VOID_CALL)
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
    const auto once = rpc::ToWire(Request(*message));
    Require(once.ok(), "a message that was taken can be sent: " + once.status().ToString());
    const auto again = rpc::FromWire<Request>(*once);
    Require(again.ok(), "a message that was sent is taken again: " + again.status().ToString());
    const auto twice = rpc::ToWire(Request(*again));
    Require(twice.ok() && BytesOf(*twice) == BytesOf(*once), "and is the same");
  }

  // Compares bytes, so that NaN equals itself.
  template <typename Wire>
  static std::string BytesOf(const Wire& wire) {
    const auto out = std::make_shared<TMemoryBuffer>();
    rpc::WireProtocol protocol(out);
    wire.write(&protocol);
    return out->getBufferAsString();
  }

  bool accepted_ = false;
};

}  // namespace

bool FuzzWire(std::string_view bytes) {
  rpc::PrepareThrift();  // otherwise it prints a line for each error
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
