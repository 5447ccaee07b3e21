#include "web/answer_cache.h"

#include <algorithm>

namespace dl::web {

std::optional<HttpResponse> AnswerCache::FindOrReserve(const std::string& key) {
  MutexLock lock(mutex_);
  while (true) {
    const auto found = entries_.find(key);
    if (found == entries_.end()) break;
    if (!found->second.is_being_made) {
      if (clock_.Now() - found->second.made < kLifetime) return found->second.answer;
      entries_.erase(found);
      break;
    }
    made_.Wait(mutex_);
  }
  entries_[key] = Entry{.made = clock_.Now()};
  return std::nullopt;
}

void AnswerCache::Clear() {
  MutexLock lock(mutex_);
  std::erase_if(entries_, [](const auto& entry) { return !entry.second.is_being_made; });
  for (auto& [key, entry] : entries_) entry.is_outdated = true;
}

void AnswerCache::Store(const std::string& key, const HttpResponse& answer) {
  MutexLock lock(mutex_);
  made_.NotifyAll();
  const bool kept = answer.status == 200 && !answer.stream && answer.body.size() <= kMaxBytes;
  const auto claimed = entries_.find(key);  // FindOrReserve has added it
  if (!kept || claimed->second.is_outdated) {
    entries_.erase(claimed);
    return;
  }
  entries_[key] = Entry{.made = clock_.Now(), .is_being_made = false, .answer = answer};
  while (entries_.size() > kMaxAnswers) {
    const auto oldest = std::ranges::min_element(entries_, {}, [](const auto& entry) {
      return std::pair(entry.second.is_being_made, entry.second.made);
    });
    if (oldest->second.is_being_made) break;
    entries_.erase(oldest);
  }
}

}  // namespace dl::web
