#include "dataset/prefetching_reader.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/trace.h"

namespace dl::dataset {

StatusOr<std::unique_ptr<PrefetchingReader>> PrefetchingReader::Create(int64_t prefetch_batches) {
  if (prefetch_batches < 0 || prefetch_batches > limits::kMaxPrefetchBatches) {
    return InvalidArgument(
        {.message = absl::StrCat("prefetch_batches is ", prefetch_batches, ", must be from 0 to ",
                                 limits::kMaxPrefetchBatches)});
  }
  return std::unique_ptr<PrefetchingReader>(new PrefetchingReader(prefetch_batches));
}

PrefetchingReader::PrefetchingReader(int64_t prefetch_batches)
    : synchronous_(prefetch_batches == 0) {
  for (int64_t i = 0; i <= prefetch_batches; ++i) {
    buffers_.push_back(std::make_unique<BatchBuffer>());
    free_.push_back(buffers_.back().get());
  }
  ready_.reserve(buffers_.size() + 2);  // plus the ends of two units
  if (synchronous_) return;
  auto thread = Thread::Start("dl-prefetch", [this] { ReadAhead(); });
  if (thread.ok()) {
    thread_ = *std::move(thread);
  } else {
    LogWarning("cannot start a thread for reading, so batches are read between steps: ",
               DescribeError(thread.status()));
    synchronous_ = true;
  }
}

PrefetchingReader::~PrefetchingReader() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    work_.NotifyAll();
  }
  thread_.Join();
}

bool PrefetchingReader::IsLive(uint64_t serial) const {
  return serial != 0 && (serial == current_.serial || serial == hint_.serial);
}

void PrefetchingReader::Release(BatchBuffer* buffer) {
  if (buffer == nullptr) return;
  free_.push_back(buffer);
  work_.NotifyAll();
}

void PrefetchingReader::DropStale() {
  std::erase_if(ready_, [this](const Item& item) DL_REQUIRES(mutex_) {
    if (IsLive(item.serial)) return false;
    Release(item.buffer);
    return true;
  });
}

Status PrefetchingReader::Open(UnitRead unit) {
  examples_ = 0;
  example_hash_sum_ = 0;
  MutexLock lock(mutex_);
  Release(std::exchange(held_, nullptr));
  finished_.reset();
  if (hint_.serial != 0 && hint_.unit.SameAs(unit)) {
    current_ = std::exchange(hint_, {});
  } else {
    hint_ = {};
    current_ = {.serial = ++last_serial_, .unit = std::move(unit)};
  }
  DropStale();
  work_.NotifyAll();
  if (!synchronous_) return absl::OkStatus();
  direct_.reset();  // after an error no unit is open
  DL_ASSIGN_OR_RETURN(direct_, BatchReader::Create(current_.unit));
  return absl::OkStatus();
}

void PrefetchingReader::Hint(UnitRead unit) {
  if (synchronous_) return;
  MutexLock lock(mutex_);
  if (hint_.serial != 0 && hint_.unit.SameAs(unit)) return;
  hint_ = {.serial = ++last_serial_, .unit = std::move(unit)};
  DropStale();
  work_.NotifyAll();
}

void PrefetchingReader::Cancel() {
  MutexLock lock(mutex_);
  current_ = {};
  finished_ = Cancelled({.message = "reading was cancelled"});
  DropStale();
  work_.NotifyAll();
  ready_changed_.NotifyAll();
}

const Minibatch* PrefetchingReader::HandOut(const BatchBuffer& buffer) {
  examples_ += buffer.batch().examples;
  example_hash_sum_ += buffer.batch().example_hash_sum;
  return &buffer.batch();
}

StatusOr<const Minibatch*> PrefetchingReader::NextSynchronously() {
  {
    MutexLock lock(mutex_);
    if (finished_.has_value() && !finished_->ok()) return *finished_;
  }
  if (direct_ == nullptr) return FailedPrecondition({.message = "no unit is open"});
  DL_ASSIGN_OR_RETURN(const bool more, direct_->Next(*buffers_.front()));
  return more ? HandOut(*buffers_.front()) : nullptr;
}

StatusOr<const Minibatch*> PrefetchingReader::Next() {
  if (synchronous_) return NextSynchronously();
  MutexLock lock(mutex_);
  Release(std::exchange(held_, nullptr));
  if (!finished_.has_value() && current_.serial == 0) {
    return FailedPrecondition({.message = "no unit is open"});
  }
  // Batches of the hinted unit follow those of the current one.
  while (!finished_.has_value() && (ready_.empty() || ready_.front().serial != current_.serial)) {
    ready_changed_.Wait(mutex_);
  }
  if (finished_.has_value()) {
    if (!finished_->ok()) return *finished_;
    return nullptr;
  }
  Item item = std::move(ready_.front());
  ready_.erase(ready_.begin());
  if (item.buffer == nullptr) {
    finished_ = item.status;
    if (!item.status.ok()) return item.status;
    return nullptr;
  }
  held_ = item.buffer;
  return HandOut(*held_);
}

PrefetchingReader::Request* PrefetchingReader::NextToStart() {
  if (current_.serial != 0 && !current_.started) return &current_;
  if (hint_.serial != 0 && !hint_.started) return &hint_;
  return nullptr;
}

PrefetchingReader::Item PrefetchingReader::ReadOne(uint64_t serial,
                                                   std::unique_ptr<BatchReader>& reader,
                                                   const UnitRead& unit, BatchBuffer* buffer) {
  const Span span(spans::kRead);
  if (reader == nullptr) {
    StatusOr<std::unique_ptr<BatchReader>> created = BatchReader::Create(unit);
    if (!created.ok()) return {.serial = serial, .status = created.status()};
    reader = *std::move(created);
  }
  const StatusOr<bool> more = reader->Next(*buffer);
  if (!more.ok()) return {.serial = serial, .status = more.status()};
  return {.serial = serial, .buffer = *more ? buffer : nullptr, .status = absl::OkStatus()};
}

void PrefetchingReader::ReadAhead() {
  std::unique_ptr<BatchReader> reader;
  UnitRead unit;
  mutex_.Lock();
  while (!stopping_) {
    if (reading_ != 0 && !IsLive(reading_)) reading_ = 0;
    Request* start = reading_ == 0 ? NextToStart() : nullptr;
    if (start != nullptr) {
      start->started = 1;
      reading_ = start->serial;
      unit = start->unit;
      reader.reset();
    }
    if (reading_ == 0 || free_.empty()) {
      if (reading_ == 0) {  // release blocks and dataset while idle
        reader.reset();
        unit = {};
      }
      work_.Wait(mutex_);
      continue;
    }
    BatchBuffer* buffer = free_.back();
    free_.pop_back();
    const uint64_t serial = reading_;
    mutex_.Unlock();
    Item item = ReadOne(serial, reader, unit, buffer);
    mutex_.Lock();
    if (item.buffer == nullptr || !IsLive(serial)) free_.push_back(buffer);
    if (item.buffer == nullptr) reading_ = 0;
    if (!IsLive(serial)) continue;
    ready_.push_back(std::move(item));
    ready_changed_.NotifyAll();
  }
  mutex_.Unlock();
}

}  // namespace dl::dataset
