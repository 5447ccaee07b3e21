// An HTTP/1.1 server on Boost.Beast. A single thread reads and writes all connections. A few
// threads call the service, so a slow answer does not hold up other connections. All computations
// share one more thread with low priority (BodyLimit::computes), and each streamed body has its
// own.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/status.h"
#include "security/tls.h"
#include "web/http/http_service.h"

namespace dl::web {

struct HttpOptions {
  // If set, all connections are encrypted. If not, only loopback addresses are allowed.
  std::optional<security::MasterTls> tls;
  std::string address = "127.0.0.1";  // an IPv4 or IPv6 address, or "localhost"
  int port = 0;                       // 0: any free port
  int threads = 4;                    // that call HttpService::Answer, except computations
  int64_t max_connections = 512;      // in all
  int64_t max_connections_of_address = 384;
  int64_t max_streams = 128;  // responses that are written piece by piece, at once
  // Memory for bodies and answers above limits::kUnchargedMessageBytes (web/http/held_memory.h).
  int64_t held_bytes = int64_t{64} << 20;            // in all
  int64_t held_bytes_of_client = int64_t{32} << 20;  // of one client (BodyLimit::client)
  // From the connection to the last byte of its first head. With TLS, the handshake has this time,
  // and then the head has it again.
  std::chrono::milliseconds head_deadline{10'000};
  // For receiving a body, and for sending a response or a piece of a stream. A body for a BodySink
  // has more time (web/http/body_receiver.h).
  std::chrono::milliseconds body_deadline{120'000};
  // From the end of a response to the last byte of the next head.
  std::chrono::milliseconds idle_deadline{60'000};
};

// Clients are not trusted: a head is at most 16 KiB long, a body at most as long as the service
// permits, and a connection beyond a limit is closed. Methods are thread-safe.
class HttpServer {
 public:
  // Opens the port. Clients that connect wait until Serve. Returns:
  //
  // - InvalidArgument: a port out of range, or, with `tls`, an address that is not an IP address.
  // - FailedPrecondition: without `tls`, any address other than a loopback address.
  // - PermissionDenied: this user may not open the port.
  // - ResourceExhausted: the port is in use.
  // - Unavailable: any other failure to listen.
  // - errors of security::SetUpMaster.
  static StatusOr<std::unique_ptr<HttpServer>> Listen(HttpOptions options);
  ~HttpServer();  // calls Stop

  // Starts to answer requests. May be called once. `service` must outlive the server.
  void Serve(HttpService& service);
  int port() const;
  int64_t connections() const;  // open at this moment
  // Accepts no more connections, waits for running calls of the service and streams, and then
  // serves no connection. Requests that wait for a call are not passed to the service any more. The
  // destructor closes the port and the connections that remain. Idempotent.
  void Stop();

 private:
  class Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace dl::web
