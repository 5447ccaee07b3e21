#include "rpc/message_budget.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace dl::rpc {

void MessageBudget::Holding::Join(MessageBudget& budget, const MessagePeer& peer, int64_t most) {
  DL_CHECK(!joined() && most <= budget.options_.bytes_of_token);
  budget_ = &budget;
  peer_ = &peer;
  max_bytes_ = most;
  moving_ = ended_ = false;
  sample_.reset();
  budget.Join(*this);
}

Status MessageBudget::Holding::Grow(int64_t bytes, Instant deadline) {
  return budget_->Grow(*this, bytes, deadline);
}

void MessageBudget::Holding::ShrinkTo(int64_t bytes) {
  if (joined()) budget_->ShrinkTo(*this, bytes);
}

void MessageBudget::Holding::BeginMoving() {
  if (!joined()) return;
  MutexLock lock(budget_->mutex_);
  moving_ = true;
}

void MessageBudget::Holding::EndMoving() {
  if (!joined()) return;
  MutexLock lock(budget_->mutex_);
  moving_ = false;
  sample_.reset();
}

void MessageBudget::Holding::Release() {
  if (!joined()) return;
  budget_->Leave(*this);
  budget_ = nullptr;
}

MessageBudget::MessageBudget(Options options) : options_(options) {
  all_.capacity = options_.bytes;
  DL_CHECK(options_.bytes_of_token <= options_.bytes);
}

MessageBudget::~MessageBudget() {
  MutexLock lock(mutex_);
  DL_CHECK(all_.by_need.empty() && all_.held == 0);
}

int64_t MessageBudget::MinRate(int64_t held) {
  return std::max(limits::kMinMessageRate, held / limits::kMaxHeldSeconds);
}

void MessageBudget::Close() {
  MutexLock lock(mutex_);
  closed_ = true;
  for (Holding* waiter : waiters_) waiter->turn_.NotifyOne();
}

int64_t MessageBudget::free() {
  MutexLock lock(mutex_);
  return all_.capacity - all_.held;
}

int64_t MessageBudget::waiting() {
  MutexLock lock(mutex_);
  return static_cast<int64_t>(waiters_.size());
}

// Completing the message with the smallest need first is the best order: it frees memory earliest.
bool MessageBudget::Scope::IsSafeAfter(const Holding& holding, int64_t bytes) const {
  int64_t left = capacity - held - bytes;
  if (left < 0) return false;
  bool completed = false;  // the holding itself
  const int64_t own_need = holding.max_bytes_ - holding.bytes_ - bytes;
  for (const auto& [need, other] : by_need) {
    if (left >= by_need.rbegin()->first) return true;
    if (!completed && own_need <= left) {
      completed = true;
      left += holding.bytes_ + bytes;
    }
    if (other == &holding) continue;
    if (need > left) return false;
    left += other->bytes_;
  }
  return completed || own_need <= left;
}

void MessageBudget::AddToScopes(Holding& holding) {
  const int64_t need = holding.max_bytes_ - holding.bytes_;
  all_.by_need.emplace(need, &holding);
  Token& token = tokens_[holding.peer_->token];
  token.scope.capacity = options_.bytes_of_token;
  token.scope.by_need.emplace(need, &holding);
}

void MessageBudget::Remove(Holding& holding) {
  const int64_t need = holding.max_bytes_ - holding.bytes_;
  all_.by_need.erase({need, &holding});
  tokens_.at(holding.peer_->token).scope.by_need.erase({need, &holding});
}

void MessageBudget::ReturnBytes(Holding& holding, int64_t bytes) {
  Token& token = tokens_.at(holding.peer_->token);
  holding.bytes_ -= bytes;
  all_.held -= bytes;
  token.scope.held -= bytes;
  token.full = false;
}

void MessageBudget::Join(Holding& holding) {
  MutexLock lock(mutex_);
  AddToScopes(holding);
}

void MessageBudget::Leave(Holding& holding) {
  MutexLock lock(mutex_);
  Remove(holding);
  ReturnBytes(holding, holding.bytes_);
  const auto token = tokens_.find(holding.peer_->token);
  if (token->second.scope.by_need.empty()) tokens_.erase(token);
  GrantAll();
}

void MessageBudget::ShrinkTo(Holding& holding, int64_t bytes) {
  MutexLock lock(mutex_);
  if (bytes > holding.bytes_) return;
  Remove(holding);
  ReturnBytes(holding, holding.bytes_ - bytes);
  holding.max_bytes_ = bytes;
  AddToScopes(holding);
  GrantAll();
}

Status MessageBudget::Grow(Holding& holding, int64_t bytes, Instant deadline) {
  MutexLock lock(mutex_);
  DL_CHECK(bytes > 0 && holding.bytes_ + bytes <= holding.max_bytes_);
  holding.wanted_ = bytes;
  holding.sample_.reset();
  Token& token = tokens_.at(holding.peer_->token);
  (holding.bytes_ > 0 ? token.begun : token.fresh).push_back(&holding);
  token.full = false;
  if (waiters_.empty())
    // No message waited before, so earlier samples do not count.
    measured_at_ = Instant{};
  waiters_.push_back(&holding);
  GrantAll();
  while (holding.wanted_ > 0 && !closed_ && !holding.ended_) {
    const Instant now = Clock::Real().Now();
    if (now >= deadline) break;
    Instant until = std::min(deadline, now + std::chrono::hours(1));
    if (waiters_.front() == &holding) {
      EndSlow(now);
      until = std::min(until, measured_at_ + options_.measure_interval);
    }
    holding.turn_.WaitFor(mutex_, until - now);
  }
  if (holding.wanted_ == 0) return absl::OkStatus();
  StopWaiting(holding);
  GrantAll();  // it may have blocked smaller messages
  return Unavailable(
      {.message = absl::StrCat("no memory for ", bytes,
                               " bytes: other requests use all the memory for requests"),
       .remedy = "Try again later"});
}

void MessageBudget::StopWaiting(Holding& holding) {
  holding.wanted_ = 0;
  Token& token = tokens_.at(holding.peer_->token);
  std::erase(token.begun, &holding);
  std::erase(token.fresh, &holding);
  const bool first = waiters_.front() == &holding;
  std::erase(waiters_, &holding);
  if (first && !waiters_.empty()) waiters_.front()->turn_.NotifyOne();
}

MessageBudget::Fit MessageBudget::FitOf(const Holding& holding, const Token& token) const {
  if (!token.scope.IsSafeAfter(holding, holding.wanted_)) return Fit::kTokenIsFull;
  return all_.IsSafeAfter(holding, holding.wanted_) ? Fit::kYes : Fit::kAllIsFull;
}

void MessageBudget::Grant(Holding& holding, Token& token) {
  Remove(holding);
  const int64_t bytes = holding.wanted_;
  StopWaiting(holding);
  holding.bytes_ += bytes;
  all_.held += bytes;
  token.scope.held += bytes;
  AddToScopes(holding);
  holding.turn_.NotifyOne();
}

// Messages that hold a part of their memory may overtake others, because they free it only when
// they are complete. New messages keep their order, so that small messages cannot delay a large one
// forever.
bool MessageBudget::GrantOne(Token& token, bool* all_is_full) {
  if (token.full || (token.begun.empty() && token.fresh.empty())) return false;
  bool token_is_full = true;
  for (Holding* waiter : token.begun) {
    const Fit fit = FitOf(*waiter, token);
    if (fit == Fit::kYes) {
      Grant(*waiter, token);
      return true;
    }
    token_is_full = token_is_full && fit == Fit::kTokenIsFull;
  }
  if (!token.fresh.empty() && !*all_is_full) {
    Holding* const first = token.fresh.front();
    const Fit fit = FitOf(*first, token);
    if (fit == Fit::kYes) {
      Grant(*first, token);
      return true;
    }
    if (fit == Fit::kAllIsFull) *all_is_full = true;
    token_is_full = token_is_full && fit == Fit::kTokenIsFull;
  } else if (!token.fresh.empty()) {
    token_is_full = false;
  }
  token.full = token_is_full;
  return false;
}

void MessageBudget::GrantAll() {
  if (closed_) return;
  for (bool granted = true; granted && !waiters_.empty();) {
    granted = false;
    bool all_is_full = false;
    auto token = tokens_.upper_bound(served_);
    for (size_t i = 0; i < tokens_.size(); ++i, ++token) {
      if (token == tokens_.end()) token = tokens_.begin();
      if (!GrantOne(token->second, &all_is_full)) continue;
      served_ = token->first;
      granted = true;
      break;
    }
  }
}

void MessageBudget::EndSlow(Instant now) {
  const bool first = measured_at_ == Instant{};
  const Duration passed = now - measured_at_;
  if (!first && passed < options_.measure_interval) return;
  measured_at_ = now;
  for (const auto& [need, holding] : all_.by_need) {
    if (!holding->moving_ || holding->wanted_ > 0 || holding->ended_) continue;
    const int64_t moved = holding->peer_->moved_bytes->load(std::memory_order_relaxed);
    const double least = static_cast<double>(MinRate(holding->bytes_)) * Seconds(passed);
    const bool slow =
        !first && holding->sample_ && static_cast<double>(moved - *holding->sample_) < least;
    holding->sample_ = moved;
    if (!slow) continue;
    holding->ended_ = true;
    holding->peer_->end();
  }
}

}  // namespace dl::rpc
