#include "tests/sim/gateway_rules.h"

#include <algorithm>
#include <variant>

#include "absl/strings/str_cat.h"
#include "rpc/messages.h"

namespace dl::sim {

void GatewayRules::BeforeDispatch(const std::vector<master::Effect>& effects) {
  emitted_.clear();
  for (const master::Effect& effect : effects) {
    if (const auto* emit = std::get_if<master::Emit>(&effect)) {
      emitted_[emit->job].push_back(emit->sequence);
    } else if (const auto* began = std::get_if<master::SessionBegan>(&effect)) {
      open_.insert(began->session);
    } else if (const auto* ended = std::get_if<master::SessionEnded>(&effect)) {
      open_.erase(ended->session);
    }
  }
}

void GatewayRules::AfterDispatch(master::EventFeed& feed, const master::OpenSessions& sessions) {
  if (sessions.size() != static_cast<int64_t>(open_.size()))
    audit_.breach(absl::StrCat("the gateway knows ", sessions.size(), " sessions, and ",
                               open_.size(), " are open"));
  for (const auto& [job, sequences] : emitted_) {
    const auto count = static_cast<int64_t>(sequences.size());
    if (count > std::min(feed_.events_of_job, feed_.events_of_reply)) continue;
    const rpc::EventsReply read = feed.Read(job, sequences.front() - 1, Duration::zero());
    if (read.events.size() != sequences.size() || read.last != sequences.back())
      audit_.breach(absl::StrCat("a subscriber of ", job, " misses events after event ",
                                 sequences.front() - 1));
  }
}

}  // namespace dl::sim
