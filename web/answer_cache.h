// Answers that were made a moment ago, for pages that many browsers have open.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/mutex.h"
#include "web/http/http_message.h"

namespace dl::web {

// A key must contain everything on which its answer depends: the address, and the owner and the
// role of the caller. Thread-safe.
class AnswerCache {
 public:
  // An answer is returned again for this time.
  static constexpr Duration kLifetime = std::chrono::seconds(1);
  // Most answers that are kept. Above it, the oldest ones are dropped.
  static constexpr size_t kMaxAnswers = 64;
  // Most bytes of the body of one answer. An answer with a longer body is not kept.
  static constexpr size_t kMaxBytes = 1 << 20;

  explicit AnswerCache(const Clock& clock = Clock::Real()) : clock_(clock) {}

  // Returns the answer with this key, or calls `make`. Keeps an answer with status 200 that is no
  // stream. Callers that come while an answer with this key is made wait for it. If it is then not
  // kept, one of them calls its own `make`, and the others wait again.
  template <typename Make>
  HttpResponse Get(const std::string& key, Make make) DL_EXCLUDES(mutex_) {
    if (auto found = FindOrReserve(key)) return *std::move(found);
    HttpResponse made = make();
    Store(key, made);
    return made;
  }
  // Drops all answers, because something has changed. An answer that is being made is returned to
  // its caller and not kept.
  void Clear() DL_EXCLUDES(mutex_);

 private:
  struct Entry {
    Instant made;
    bool is_being_made = true;
    bool is_outdated = false;  // cleared while it was being made
    HttpResponse answer;
  };
  // Returns the answer, or nullopt if the caller has to make it and to call Store.
  std::optional<HttpResponse> FindOrReserve(const std::string& key) DL_EXCLUDES(mutex_);
  void Store(const std::string& key, const HttpResponse& answer) DL_EXCLUDES(mutex_);

  const Clock& clock_;
  Mutex mutex_;
  CondVar made_;
  std::map<std::string, Entry> entries_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::web
