// A master core with its store and its clock: an event in, and what it does is there to be looked
// at. Whatever it asks of the store is answered at once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "master/core/core.h"
#include "storage/memory_meta_store.h"

namespace dl::master {

class DrivenCore {
 public:
  static constexpr uint64_t kSecret = 1;  // of its store
  explicit DrivenCore(CoreOptions options);

  // One event; what it persists goes to the store, what it does is in `effects` until the next one.
  void Do(const Event& event);
  void Wait(Duration time);                    // in ticks, when the core asks for them
  void Restart();                              // a new core from the store
  CoreOptions& options() { return options_; }  // of the next one
  // A request, and its answer where that comes at once.
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
  // The same where the answer may come later: what it will be for.
  template <typename Request>
  uint64_t Post(Request request) {
    const uint64_t token = ++token_;
    Do(Asked<Request>{token, std::move(request)});
    return token;
  }
  // Among the effects of the last event; null: none.
  const Answer* AnswerTo(uint64_t token) const;

  // Also one that ended and is in the store alone.
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

  std::vector<Effect> effects;
  Duration spent{};  // processor time of the core for the last event that the test gave it
  Instant came = Instant::Max();  // of the next events, where it is earlier than `now`
  int64_t wall_unix_ms = 0;       // likewise
  storage::MemoryMetaStore store;
  bool checks_invariants = true;  // which takes as long as there are units
  bool holds_back_ends = false;   // the core is not told that ends are durable
  Instant now{1'000'000'000};

 private:
  void Take(Output output);
  void Persist(const storage::MetaBatch& batch);  // after it was read back
  // What the core asks of the log is read at once; the store tells of a job's end at once.
  void AnswerReads();

  CoreOptions options_;
  std::optional<Core> core_;
  uint64_t token_ = 0;
  mutable std::map<std::string, Job> stored_;  // that job() read
};

}  // namespace dl::master
