#include "master/gateway/writer.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "base/fail_point.h"
#include "base/log.h"
#include "base/trace.h"

namespace dl::master {
namespace {

bool PublishesAhead(const Output& output) {
  return std::any_of(output.ahead.begin(), output.ahead.end(),
                     [](const Effect& effect) { return std::holds_alternative<Publish>(effect); });
}

}  // namespace

Writer::Writer(Options options) : options_(std::move(options)) {
  thread_ = Thread("writer", [this] { Run(); });
}

void Writer::Stop() {
  {
    MutexLock lock(mutex_);
    stop_ = true;
    work_.NotifyAll();
    room_.NotifyAll();
  }
  thread_.Join();
}

std::optional<uint64_t> Writer::WaitForRoom() {
  const ShellBounds& bounds = options_.bounds;
  MutexLock lock(mutex_);
  while (!stop_ && !dead_ &&
         (unwritten_.batch.bytes() >= bounds.batch_bytes ||
          unwritten_.effects.size() >= bounds.effects)) {
    room_.Wait(mutex_);
  }
  if (stop_ || dead_) return std::nullopt;
  return bounds.batch_bytes - unwritten_.batch.bytes();
}

void Writer::HandOver(Output& output, bool ready_to_stop) {
  options_.release(output.ahead);
  {
    MutexLock lock(mutex_);
    ready_to_stop_ = ready_to_stop;
    if (writing_ || !unwritten_.empty() || !output.batch.empty() || !output.let_go.empty()) {
      unwritten_.published_ahead |= !output.batch.empty() && PublishesAhead(output);
      unwritten_.ready_to_stop = ready_to_stop;
      unwritten_.batch.Append(std::move(output.batch));
      std::move(output.effects.begin(), output.effects.end(),
                std::back_inserter(unwritten_.effects));
      std::move(output.let_go.begin(), output.let_go.end(), std::back_inserter(unwritten_.let_go));
      work_.NotifyOne();
      return;
    }
  }
  // All earlier effects are durable and have left, and only this thread adds work.
  options_.release(output.effects);
  if (ready_to_stop) options_.ready_to_stop();
}

void Writer::Run() {
  for (;;) {
    Unwritten taken;
    {
      MutexLock lock(mutex_);
      writing_ = false;
      while (unwritten_.empty() && !stop_) work_.Wait(mutex_);
      if (unwritten_.empty()) return;
      taken = std::exchange(unwritten_, {});
      writing_ = true;
      room_.NotifyOne();
    }
    // Writes one synced batch for everything that was stepped meanwhile. Executors may have started
    // already; nothing else leaves before it is durable.
    if (taken.published_ahead) (void)FailPoint("master.ahead");
    if (!Persist(taken.batch)) return;
    (void)FailPoint("master.durable");
    options_.release(taken.effects);
    if (taken.ready_to_stop && IsStillReadyToStop()) options_.ready_to_stop();
  }
}

// Another last checkpoint may have been requested while the batch was written.
bool Writer::IsStillReadyToStop() {
  MutexLock lock(mutex_);
  return ready_to_stop_;
}

bool Writer::Persist(const storage::MetaBatch& batch) {
  Span span(spans::kCommit);
  waits_for_store_ = true;
  const Status status = options_.meta->Write(batch);
  waits_for_store_ = false;
  span.End();
  if (status.ok()) return true;
  LogError("cannot write to the meta store: ", DescribeError(status));
  {
    MutexLock lock(mutex_);
    dead_ = true;
    room_.NotifyAll();
  }
  options_.failed(status);
  return false;
}

}  // namespace dl::master
