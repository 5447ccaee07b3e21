// Registration, heartbeats, departure and loss of executors.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "master/core/leasing/leasing.h"
#include "master/core/leasing/presence_lines.h"
#include "master/core/machine/failures.h"
#include "master/core/machine/gathering.h"
#include "master/core/machine/machine_component.h"
#include "master/core/machine/recovery.h"
#include "master/core/machine/unit_progress.h"

namespace dl::master {

class Sessions : public Component {
 public:
  struct Uses {
    Failures& failures;
    Gathering& gathering;
    Leasing& leasing;
    Progress& progress;
    Recovery& recovery;
  };
  // Limits of the units without a lease whose progress is remembered (Session::unleased), because
  // heartbeats may list invented leases. Each session may have kUnleasedOfSession; more only while
  // all sessions have fewer than kMostUnleased. The executor is told to abandon other units.
  static constexpr size_t kUnleasedOfSession = 64;
  static constexpr size_t kMostUnleased = 1 << 17;

  Sessions(Context& context, const Uses& uses) : Component(context), uses_(uses), lines_(step_) {}

  // Begins a session, or answers with an error: Unavailable if a live session has the name, Aborted
  // if a newer incarnation is registered, InvalidArgument for invalid labels, and the errors of
  // Fleet::CheckRoomFor. Replaces the executor's own earlier session, or a disconnected one of its
  // name. Counts crashes and kills of the executor's earlier process (Failures).
  void On(const Asked<rpc::RegisterRequest>& event);
  // Renews the session, and the leases and deliveries of the units that the heartbeat lists.
  // Withdraws undelivered results of the session that it does not list, at most 1,000 for a
  // heartbeat, except recent ones. Answers with notices, gather requests and the units to abandon.
  // Answers Aborted if the session has ended.
  void On(const Asked<rpc::HeartbeatRequest>& event);
  // Ends the session, and answers OK even if it had ended. Its leased units and its undelivered
  // results are computed again.
  void On(const Asked<rpc::GoodbyeRequest>& event);
  // Ends the session after CoreOptions::lost_after_disconnect, unless a heartbeat arrives.
  void On(const SessionDisconnected& event);
  // Ends sessions whose connection closed or that sent no heartbeat for too long.
  void ExpireSessions();

 private:
  Status CheckNameOf(const rpc::RegisterRequest& who, const Session& named) const;
  void DropSession(uint64_t id, std::string_view why);
  void LoseSession(uint64_t id, std::string_view why);
  void WithdrawUnheldResults(Session& session);
  Unleased* FindOrAddUnleased(Session& session, uint64_t lease, size_t listed);

  const Uses uses_;
  PresenceLines lines_;
  size_t unleased_ = 0;  // number of entries in Session::unleased of all sessions
};

}  // namespace dl::master
