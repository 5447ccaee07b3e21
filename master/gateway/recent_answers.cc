#include "master/gateway/recent_answers.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"

namespace dl::master {
namespace {

// Younger answers are not refreshed.
constexpr Duration kRefreshAge = std::chrono::milliseconds(250);
// Answers that were not requested for this long are dropped.
constexpr Duration kPollTimeout = std::chrono::seconds(60);
constexpr size_t kMaxAnswers = 1000;
constexpr int64_t kMaxBytes = int64_t{32} << 20;

}  // namespace

RecentAnswers::RecentAnswers(Ask ask, const Clock& clock) : ask_(std::move(ask)), clock_(clock) {
  thread_ = Thread("answers", [this] { Run(); });
}

void RecentAnswers::Stop() {
  {
    MutexLock lock(mutex_);
    stop_ = true;
    work_.NotifyAll();
  }
  thread_.Join();
}

StatusOr<rpc::QueryReply> RecentAnswers::Get(const rpc::QueryRequest& request, Duration deadline) {
  {
    const Instant now = clock_.Now();
    MutexLock lock(mutex_);
    const auto found = answers_.find({request.what, request.job, request.first, request.last});
    if (found != answers_.end()) {
      Answer& answer = found->second;
      answer.last_request = now;
      const Duration age = now - answer.asked;
      if (age >= kRefreshAge && !std::exchange(answer.stale, true)) work_.NotifyOne();
      if (age <= std::chrono::milliseconds(request.max_age_ms)) {
        rpc::QueryReply reply = *answer.reply;
        reply.age_ms = age / std::chrono::milliseconds(1);
        return reply;
      }
    }
  }
  return Refresh(request, deadline);
}

StatusOr<rpc::QueryReply> RecentAnswers::Refresh(const rpc::QueryRequest& request,
                                                 Duration deadline) {
  const Instant asked = clock_.Now();
  StatusOr<rpc::QueryReply> reply = ask_(request, deadline);
  const Question question(request.what, request.job, request.first, request.last);
  MutexLock lock(mutex_);
  if (!reply.ok()) {
    // Drop the answer if the question has become invalid. A failure to get an answer does not
    // invalidate the previous one, whose age grows.
    const auto found = answers_.find(question);
    if (found == answers_.end()) return reply;
    found->second.stale = false;
    if (!absl::IsUnavailable(reply.status()) && !absl::IsDeadlineExceeded(reply.status()))
      answers_.erase(found);
    return reply;
  }
  Answer& answer = answers_[question];
  if (asked >= answer.asked) {
    answer = {.reply = std::make_shared<const rpc::QueryReply>(*reply),
              .asked = asked,
              .last_request = std::max(answer.last_request, asked)};
  }
  DropUnpolled(asked);
  return reply;
}

const RecentAnswers::Question* RecentAnswers::NextStale() const {
  const Question* next = nullptr;
  Instant oldest = Instant::Max();
  for (const auto& [question, answer] : answers_) {
    if (!answer.stale || answer.asked >= oldest) continue;
    oldest = answer.asked;
    next = &question;
  }
  return next;
}

void RecentAnswers::DropUnpolled(Instant now) {
  std::erase_if(answers_,
                [&](const auto& entry) { return now - entry.second.last_request > kPollTimeout; });
  int64_t bytes = 0;
  for (const auto& [question, answer] : answers_)
    bytes += static_cast<int64_t>(answer.reply->json.size());
  while (answers_.size() > kMaxAnswers || bytes > kMaxBytes) {
    const auto least = std::ranges::min_element(
        answers_, {}, [](const auto& entry) { return entry.second.last_request; });
    bytes -= static_cast<int64_t>(least->second.reply->json.size());
    answers_.erase(least);
  }
}

void RecentAnswers::Run() {
  for (;;) {
    rpc::QueryRequest request;
    {
      MutexLock lock(mutex_);
      const Question* next = NextStale();
      while (next == nullptr && !stop_) {
        work_.Wait(mutex_);
        next = NextStale();
      }
      if (stop_) return;
      std::tie(request.what, request.job, request.first, request.last) = *next;
    }
    (void)Refresh(request, limits::kControlDeadline);
  }
}

}  // namespace dl::master
