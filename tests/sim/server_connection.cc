#include "tests/sim/server_connection.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/limits.h"
#include "tests/sim/virtual_thread.h"

namespace dl::sim {
namespace {

constexpr Duration kTimeOfPiece = std::chrono::milliseconds(4);

}  // namespace

ServerConnection::ServerConnection(Options options)
    : options_(std::move(options)),
      meter_(*options_.budgets,
             {.moved_bytes = &moved_, .end = [this, thread = &VirtualThread::Current()] {
                ended_ = true;
                thread->RunSoon();
              }}) {
  meter_.MarkAuthenticated(options_.token);
}

Status ServerConnection::Receive(std::string_view method, int64_t bytes) {
  constexpr int16_t kNoSpecialField = 0;
  const int64_t all =
      std::min(bytes * kBytesOfByte, rpc::LimitsOf(method).bytes - limits::kUnchargedMessageBytes);
  bool received = false;
  try {
    meter_.Begin(method);
    meter_.AnnounceBytes(kNoSpecialField, all);
    ReceiveBytes(all * 3 / 4);
    if (options_.is_slow) {
      VirtualThread& thread = VirtualThread::Current();
      thread.RunAfter(limits::kMessageDeadline);
      thread.Yield();
    } else {
      ReceiveBytes(all - all * 3 / 4);
      received = true;
    }
  } catch (const std::exception&) {
    // This block must not wait, because the exception in progress belongs to the system's thread.
  }
  ReportWait();
  if (received && !ended_) return absl::OkStatus();
  return Unavailable({.message = "the connection ended in the middle of a message"});
}

void ServerConnection::ReceiveBytes(int64_t bytes) {
  VirtualThread::Current().Sleep(kTimeOfPiece);
  moved_ += bytes;
  waits_since_ = Clock::Real().Now();
  meter_.ReceiveBytes(bytes);
  ReportWait();
}

void ServerConnection::ReportWait() {
  if (!waits_since_) return;
  const Duration waited = Clock::Real().Now() - *std::exchange(waits_since_, std::nullopt);
  if (!options_.is_slow) options_.waited(waited);
}

}  // namespace dl::sim
