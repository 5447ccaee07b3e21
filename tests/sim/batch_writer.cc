#include "tests/sim/batch_writer.h"

#include <algorithm>
#include <variant>

#include "master/core/record_check.h"

namespace dl::sim {

void BatchWriter::Write(const master::Output& output, bool ready_to_stop) {
  const bool published = std::ranges::any_of(output.ahead, [](const master::Effect& effect) {
    return std::holds_alternative<master::Publish>(effect);
  });
  next_.published_ahead |= published && !output.batch.empty();
  next_.ready_to_stop = ready_to_stop_ = ready_to_stop;
  if (const Status readable = master::CheckReadable(output.batch); !readable.ok())
    options_.breach(DescribeError(readable));
  next_.batch.Append(output.batch);
  next_.effects.insert(next_.effects.end(), output.effects.begin(), output.effects.end());
  next_.let_go.insert(next_.let_go.end(), output.let_go.begin(), output.let_go.end());
  if (!writing_) Begin();
}

void BatchWriter::Begin() {
  writing_ = true;
  being_written_ = std::exchange(next_, {});
  if (being_written_.batch.empty()) return End();
  RandomStream& random = *options_.random;
  uint64_t longest_us = random.NextDouble() < options_.slow_write ? 1'500'000 : 3'000;
  if (longest_us > 3'000 && random.Bounded(20) == 0) longest_us *= 10;  // than any time limit
  agenda_.After(std::chrono::microseconds(random.Bounded(longest_us)), [this] { End(); });
}

void BatchWriter::End() {
  writing_ = false;
  if (!Persist()) return options_.died();
  Unwritten written = std::exchange(being_written_, {});
  options_.release(written.effects);
  written.let_go.clear();
  if (written.ready_to_stop && ready_to_stop_) return options_.may_stop();
  if (!next_.empty()) Begin();
}

bool BatchWriter::Persist() {
  const storage::MetaBatch& batch = being_written_.batch;
  storage::MemoryMetaStore& meta = options_.disk->meta;
  if (!batch.empty() && options_.random->NextDouble() < options_.death_at_write) {
    // Before the batch is on the disk, or behind it but before anybody knows; or there was no
    // space.
    using Failure = storage::MemoryMetaStore::Failure;
    meta.FailWrite(1, static_cast<Failure>(options_.random->Bounded(3)));
  }
  const uint64_t index = meta.index();
  const Status written = meta.Write(batch);
  const bool durable = written.ok() || meta.index() != index;
  if (!written.ok()) meta.Crash();  // the process ends here, and with it what was not durable
  if (durable) {
    being_written_.published_ahead = false;
    options_.durable(batch);
  }
  return written.ok();
}

}  // namespace dl::sim
