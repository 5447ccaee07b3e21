// The gateway's objects agree with the effects that left the core. Applies to one process of the
// master.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "master/gateway/event_feed.h"
#include "master/gateway/open_sessions.h"
#include "tests/sim/audit.h"

namespace dl::sim {

class GatewayRules {
 public:
  GatewayRules(Audit& audit, const master::FeedBounds& feed) : audit_(audit), feed_(feed) {}

  // Must be called with effects before the dispatcher executes them.
  void BeforeDispatch(const std::vector<master::Effect>& effects);
  // Must be called after the dispatcher has executed these effects.
  void AfterDispatch(master::EventFeed& feed, const master::OpenSessions& sessions);

 private:
  Audit& audit_;
  const master::FeedBounds& feed_;
  std::set<uint64_t> open_;                              // sessions
  std::map<std::string, std::vector<int64_t>> emitted_;  // sequence numbers of events, by job
};

}  // namespace dl::sim
