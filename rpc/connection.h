// One connection of a client, greeted, for one call at a time.
#pragma once

#include <functional>
#include <memory>

#include "Master.h"
#include "base/clock.h"
#include "base/status.h"
#include "rpc/dialling.h"
#include "rpc/watchdog.h"
#include "rpc/wire_protocol.h"
#include "rpc/wire_socket.h"

namespace dl::rpc {

class Connection {
 public:
  // Connects and says Hello. Errors as client.h lists them. `full`: whether the master has no room
  // for one more, which may change any moment.
  static StatusOr<std::unique_ptr<Connection>> Open(const Dialling& dialling, Watchdog* watchdog,
                                                    Instant deadline, bool* full);

  // See WireProtocol::LendBinary: for the next call.
  void LendBinary(const std::string* bytes) { protocol_->LendBinary(bytes); }

  // Runs `exchange` (a method of the generated stub) and turns whatever it throws into a Status. An
  // error of the master is an answer; after anything else the connection is broken(), and so it is
  // after an answer that came as the deadline passed.
  Status Call(Instant deadline, const std::function<void(wire::MasterClient&)>& exchange);

  bool broken() const { return broken_; }
  // Whether another call may use it: not broken, not closed by the peer meanwhile.
  bool Reusable() { return !broken_ && socket_->Quiet(); }

 private:
  Connection(const Endpoint& master, const Introduction& introduction, Watchdog* watchdog);
  Status Connect(Instant deadline);
  // Whether what was connected to may be told anything.
  Status CheckPeer(const Introduction& introduction);
  Status Hello(const Dialling& dialling, const Credentials& credentials, Instant deadline);
  Status Exchange(const std::function<void(wire::MasterClient&)>& exchange);
  Status NotInTime() const;

  const Endpoint endpoint_;
  const std::string peer_;                  // the same, as text
  const std::string certificate_;           // of this client; empty: none
  std::string address_;                     // that the host's name stood for
  std::string role_;                        // of this client, as the master said
  std::shared_ptr<WireSocket> socket_;      // shared with Thrift's transport above it
  std::shared_ptr<WireProtocol> protocol_;  // shared with the stub
  std::unique_ptr<wire::MasterClient> stub_;
  bool broken_ = false;
};

}  // namespace dl::rpc
