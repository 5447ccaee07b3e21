// A master core with its store and clock. Processes one event at a time and exposes the effects.
// Requests of the core to the store are answered at once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "master/core/master_core.h"
#include "storage/memory_meta_store.h"

namespace dl::master {

class DrivenCore {
 public:
  static constexpr uint64_t kSecret = 1;  // secret of its store
  explicit DrivenCore(CoreOptions options);

  // Processes one event. Records go to the store. `effects` holds the effects until the next event.
  void Do(const Event& event);
  void Wait(Duration time);                    // in ticks, whenever the core asks for one
  void Restart();                              // a new core that reads the store
  CoreOptions& options() { return options_; }  // options of the next core
  // Sends a request and returns the answer. Returns Unavailable if it is not answered at once.
  template <typename ReplyType, typename Request>
  StatusOr<ReplyType> Ask(Request request) {
    const Answer* answer = AnswerTo(Post(std::move(request)));
    if (answer == nullptr) return Unavailable({.message = "no answer yet"});
    if (!answer->status.ok()) return answer->status;
    if constexpr (std::is_same_v<ReplyType, std::monostate>) {
      return ReplyType{};
    } else {
      return std::get<ReplyType>(answer->reply);
    }
  }
  // Sends a request that may be answered later. Returns its token.
  template <typename Request>
  uint64_t Post(Request request) {
    const uint64_t token = ++token_;
    Do(Asked<Request>{token, std::move(request)});
    return token;
  }
  // Returns the answer among the effects of the last event, or null.
  const Answer* AnswerTo(uint64_t token) const;

  // Returns a job; an ended one may be read from the store.
  const Job& job(const std::string& id) const;
  const Core& core() const { return *core_; }
  template <typename T>
  std::vector<T> EffectsOf() const {
    std::vector<T> found;
    for (const Effect& effect : effects) {
      if (const T* one = std::get_if<T>(&effect)) found.push_back(*one);
    }
    return found;
  }

  // Returns the warnings of the last event, of one job or of all.
  std::vector<std::string> Warnings(const std::string& job = "") const {
    std::vector<std::string> messages;
    for (const Emit& emit : EffectsOf<Emit>()) {
      const auto* warning = std::get_if<WarningEvent>(&emit.content);
      if (warning != nullptr && (job.empty() || emit.job == job))
        messages.push_back(warning->message);
    }
    return messages;
  }

  // Returns the remedies of the warnings of the last event.
  std::vector<rpc::Remedy> Remedies() const {
    std::vector<rpc::Remedy> remedies;
    for (const Emit& emit : EffectsOf<Emit>()) {
      if (const auto* warning = std::get_if<WarningEvent>(&emit.content))
        remedies.push_back(warning->remedy);
    }
    return remedies;
  }

  std::vector<Effect> effects;
  Duration spent{};               // processor time of the core for the last event of the test
  Instant came = Instant::Max();  // arrival of the next events if earlier than `now`
  int64_t wall_unix_ms = 0;       // wall clock of the next events
  storage::MemoryMetaStore store;
  bool checks_invariants = true;  // their cost grows with the number of units
  bool holds_back_ends = false;   // the core is not informed that ends are durable
  Instant now{1'000'000'000};

 private:
  void Take(Output output);
  void Persist(const storage::MetaBatch& batch);  // after reading it back as a check
  // Answers reads of the log at once, and reports at once that ends are durable.
  void AnswerReads();

  CoreOptions options_;
  std::optional<Core> core_;
  uint64_t token_ = 0;
  mutable std::map<std::string, Job> stored_;  // jobs that job() read from the store
};

}  // namespace dl::master
