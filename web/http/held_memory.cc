#include "web/http/held_memory.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace dl::web {
namespace {

std::string Mebibytes(int64_t bytes) { return absl::StrCat(bytes >> 20, " MiB"); }

}  // namespace

Status HeldMemory::Holding::Hold(const std::string& client, int64_t bytes, Duration timeout) {
  const Instant end = Clock::Real().Now() + timeout;
  MutexLock lock(memory_.mutex_);
  memory_.Release(*this);
  if (bytes == 0) return absl::OkStatus();
  const auto found = memory_.clients_.find(client);
  const int64_t wanted = (found == memory_.clients_.end() ? 0 : found->second) + bytes;
  if (wanted > memory_.options_.bytes_of_client) {
    return ResourceExhausted(
        {.message = absl::StrCat("requests and unread answers of this client would hold ",
                                 Mebibytes(wanted), ", more than its share of ",
                                 Mebibytes(memory_.options_.bytes_of_client)),
         .remedy = "Read the answers, then try again"});
  }
  while (memory_.held_ + bytes > memory_.options_.bytes) {
    const int64_t remaining = memory_.held_ - memory_.ending_;
    if (remaining + bytes > memory_.options_.bytes && memory_.EndConnectionFor(client, wanted))
      continue;
    const Duration left = end - Clock::Real().Now();
    if (memory_.ending_ == 0 || left <= Duration::zero()) {
      return Unavailable({.message = "the memory for HTTP is held by unread answers",
                          .remedy = "Try again in a second"});
    }
    memory_.released_.WaitFor(memory_.mutex_, left);
  }
  client_ = client;
  bytes_ = bytes;
  memory_.held_ += bytes;
  memory_.clients_[client] += bytes;
  return absl::OkStatus();
}

void HeldMemory::Holding::BeginWaitingForPeer() {
  MutexLock lock(memory_.mutex_);
  if (bytes_ == 0 || is_ending_ || waiting_since_ != 0) return;
  waiting_since_ = ++memory_.last_;
  memory_.waiting_[waiting_since_] = this;
}

void HeldMemory::Holding::EndWaitingForPeer() {
  MutexLock lock(memory_.mutex_);
  memory_.StopWaiting(*this);
}

void HeldMemory::Holding::Release() {
  MutexLock lock(memory_.mutex_);
  memory_.Release(*this);
}

int64_t HeldMemory::held() const {
  MutexLock lock(mutex_);
  return held_;
}

int64_t HeldMemory::HeldBy(const std::string& client) const {
  MutexLock lock(mutex_);
  const auto found = clients_.find(client);
  return found == clients_.end() ? 0 : found->second;
}

void HeldMemory::StopWaiting(Holding& holding) {
  waiting_.erase(holding.waiting_since_);
  holding.waiting_since_ = 0;
}

void HeldMemory::Release(Holding& holding) {
  StopWaiting(holding);
  if (holding.is_ending_) ending_ -= holding.bytes_;
  holding.is_ending_ = false;
  if (holding.bytes_ == 0) return;
  held_ -= holding.bytes_;
  const auto client = clients_.find(holding.client_);
  client->second -= holding.bytes_;
  if (client->second == 0) clients_.erase(client);
  holding.bytes_ = 0;
  released_.NotifyAll();
}

bool HeldMemory::EndConnectionFor(const std::string& client, int64_t bytes) {
  // Bytes of each client without the connections that are being ended.
  std::map<std::string, int64_t> staying;
  for (const auto& [since, holding] : waiting_) staying[holding->client_] += holding->bytes_;
  const auto most =
      std::ranges::max_element(staying, {}, [](const auto& one) { return one.second; });
  if (most == staying.end() || most->first == client || most->second <= bytes) return false;
  const auto oldest = std::ranges::find_if(
      waiting_, [&](const auto& one) { return one.second->client_ == most->first; });
  Holding& ended = *oldest->second;
  StopWaiting(ended);
  ended.is_ending_ = true;
  ending_ += ended.bytes_;
  ended.end_();
  return true;
}

}  // namespace dl::web
