// Messages of a lying executor harm neither the master nor other executors.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "master/core/master_core.h"
#include "tests/sim/audit.h"

namespace dl::sim {

class PeerRules {
 public:
  explicit PeerRules(Audit& audit) : audit_(audit) {}

  void RecordLiar(const std::string& executor) { liars_.insert(executor); }
  // Called around each step of the core. `sender` is the executor that sent the event, or empty.
  // Rules: no message with another executor's session reaches the core; no message of a liar ends
  // another executor's session; all messages of liars together leave at most 16 MiB in the master's
  // memory.
  void BeforeStep(const master::Core& core, const master::Event& event, const std::string& sender);
  void AfterStep(const master::Core& core);

 private:
  Audit& audit_;
  std::set<std::string> liars_;
  bool watched_ = false;  // the current step processes a message of a liar
  std::string sender_;
  std::set<uint64_t> sessions_;  // of other executors, before the step
  int64_t heap_at_first_ = 0;    // bytes before the first message of a liar
  int64_t heap_before_ = 0;      // bytes before the current step
  int64_t grown_ = 0;            // bytes that all steps with messages of liars added
};

}  // namespace dl::sim
