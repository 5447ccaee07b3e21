// A client's connection on which Hello has succeeded. Runs one call at a time.
#pragma once

#include <functional>
#include <memory>

#include "Master.h"
#include "base/clock.h"
#include "base/status.h"
#include "rpc/credential_source.h"
#include "rpc/watchdog.h"
#include "rpc/wire_protocol.h"
#include "rpc/wire_socket.h"

namespace dl::rpc {

class Connection {
 public:
  // Connects and sends Hello. Ends at `deadline`, but the lookup of a host name may take longer.
  // Returns the errors listed in client.h. Sets `*full` to whether the master refused the
  // connection because of a connection limit. The caller may then call Open again. REQUIRES:
  // `credential_source` and `watchdog` outlive the connection; no pointer is null.
  static StatusOr<std::unique_ptr<Connection>> Open(const CredentialSource& credential_source,
                                                    Watchdog* watchdog, Instant deadline,
                                                    bool* full);

  // Makes the next call send `*bytes` as the content of its first empty binary field
  // (WireProtocol::LendBinary), without a copy. `*bytes` must outlive that call. Null cancels an
  // earlier LendBinary.
  void LendBinary(const std::string* bytes) { protocol_->LendBinary(bytes); }

  // Runs `exchange`, which calls a method of the generated stub, and converts exceptions to a
  // Status. Afterwards, broken() is true and the socket is closed in three cases: after an error
  // that is not the master's answer, after an answer that arrived when the deadline had passed, and
  // after the answer Unauthenticated, by which the master denies a call.
  Status Call(Instant deadline, const std::function<void(wire::MasterClient&)>& exchange);

  bool broken() const { return broken_; }
  // Returns whether the connection can be used for another call: not broken, not closed by the
  // peer, and without unread bytes.
  bool IsReusable() { return !broken_ && socket_->IsIdle(); }

 private:
  Connection(const Endpoint& master, const ConnectionCredentials& connection_credentials,
             Watchdog* watchdog);
  Status Connect(Instant deadline);
  // Must be called before anything is sent. On an unencrypted connection, returns Unauthenticated
  // unless the peer is a process of this user, of root or of Credentials::master_users.
  Status CheckPeer(const ConnectionCredentials& connection_credentials);
  Status Hello(const CredentialSource& credential_source, const Credentials& credentials,
               Instant deadline);
  Status Exchange(const std::function<void(wire::MasterClient&)>& exchange);
  Status DeadlineError() const;

  const Endpoint endpoint_;
  const std::string peer_;                  // the endpoint as text
  const std::string certificate_;           // file of this client's certificate; empty: none
  std::string address_;                     // address that the host name resolved to
  std::string role_;                        // role of this client, as the master returned it
  std::shared_ptr<WireSocket> socket_;      // shared with Thrift's transport above it
  std::shared_ptr<WireProtocol> protocol_;  // shared with the stub
  std::unique_ptr<wire::MasterClient> stub_;
  bool broken_ = false;
};

}  // namespace dl::rpc
