// Calls to a disk that may hang: a network file system whose server is gone, a frozen file system,
// failing hardware. A thread in such a call cannot be stopped, so calls run on threads of their
// own, and a caller waits only until the disk counts as hanging.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "base/clock.h"

namespace dl {

// Thread-safe.
class DiskCalls {
 public:
  static constexpr Duration kLimit = std::chrono::seconds(10);
  struct Options {
    std::string what;       // for the log: "the block cache in DIR"
    std::string otherwise;  // what happens instead: "blocks are fetched until it answers"
    Duration limit = kLimit;
  };
  explicit DiskCalls(Options options);
  // Does not wait for calls that hang. Their threads and what the calls own stay.
  ~DiskCalls();

  // Runs `call` on a thread of its own and returns its result. Returns nullopt if the disk begins
  // to hang during the call: no call has returned for Options::limit. A slow disk on which calls
  // queue therefore does not count as hanging. Later calls return nullopt at once until all calls
  // that hang have returned. The log records when the disk begins to hang and when it answers
  // again. `call` may run on after nullopt, even after this object is destroyed, so it must own
  // what it uses. If the system can start no thread, `call` runs on the calling thread.
  template <typename Call>
  auto Run(Call call) -> std::optional<std::invoke_result_t<Call>> {
    auto result = std::make_shared<std::optional<std::invoke_result_t<Call>>>();
    if (!Answers([result, call = std::move(call)] { result->emplace(call()); }))
      return std::nullopt;
    return std::move(*result);
  }

  // Returns whether a call hangs: it was given up and has not returned since.
  bool hangs() const;

 private:
  struct Started;
  struct State;
  // Runs the call. Returns whether it has returned, and false without a call while the disk hangs.
  bool Answers(std::function<void()> call);
  // Waits until the call has returned or the disk hangs. Returns whether the call has returned.
  bool WaitFor(const Started& started);

  const Options options_;
  const std::shared_ptr<State> state_;  // shared with the threads of calls, which may live longer
};

}  // namespace dl
