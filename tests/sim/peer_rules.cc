#include "tests/sim/peer_rules.h"

#include <malloc.h>

#include <algorithm>
#include <variant>

#include "absl/strings/str_cat.h"

namespace dl::sim {
namespace {

// Many times the memory that messages of honest executors take in a schedule.
constexpr int64_t kMaxBytes = 16 << 20;

int64_t HeapBytes() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return 0;  // the sanitizers have their own heaps
#else
  return static_cast<int64_t>(mallinfo2().uordblks);
#endif
}

// Returns the session that an executor's request names; 0 if it names none.
uint64_t SessionIn(const master::Event& event) {
  return std::visit(
      [](const auto& e) -> uint64_t {
        if constexpr (requires { e.request.session; }) return e.request.session;
        if constexpr (requires { e.request.said.session; }) return e.request.said.session;
        return 0;
      },
      event);
}

}  // namespace

void PeerRules::BeforeStep(const master::Core& core, const master::Event& event,
                           const std::string& sender) {
  const auto named = core.sessions().find(SessionIn(event));
  if (!sender.empty() && named != core.sessions().end() && named->second.who.executor != sender)
    return audit_.breach(absl::StrCat("a message of ", sender, " comes in another one's session"));
  watched_ = liars_.contains(sender);
  if (!watched_) return;
  sender_ = sender;
  sessions_.clear();
  for (const auto& [id, session] : core.sessions()) {
    // A session whose time is over ends in the next step, whatever its event is.
    if (session.who.executor != sender && session.due > Clock::Real().Now()) sessions_.insert(id);
  }
  heap_before_ = HeapBytes();
  if (heap_at_first_ == 0) heap_at_first_ = heap_before_;
}

void PeerRules::AfterStep(const master::Core& core) {
  if (!watched_) return;
  const int64_t heap = HeapBytes();
  grown_ += heap - heap_before_;
  // Answers and log lines are freed after the step, and honest messages make the heap larger too.
  const int64_t kept = std::min(grown_, heap - heap_at_first_);
  if (kept > kMaxBytes)
    return audit_.breach(absl::StrCat("messages of ", sender_, " take ", kept, " bytes"));
  for (const uint64_t id : sessions_) {
    if (!core.sessions().contains(id))
      return audit_.breach(absl::StrCat("a message of ", sender_, " ends another one's session"));
  }
}

}  // namespace dl::sim
