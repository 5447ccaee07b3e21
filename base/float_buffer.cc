#include "base/float_buffer.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "base/mutex.h"
#include "base/system_error.h"

namespace dl {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kHugePage = size_t{2} << 20;

struct Mapping {
  void* memory = nullptr;
  size_t bytes = 0;
};

// Memory of destroyed buffers, for new buffers of the same size. The first access to a page is
// expensive, most of all on a virtual machine whose host must also map the page: 11 ms for a vector
// of 3.4 MB that is written in 0.5 ms. Jobs, rounds and batches need the same sizes again.
class IdleMappings {
 public:
  // Returns an empty mapping if there is none of that size.
  Mapping Take(size_t bytes) DL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    // Prefers the newest, which is most likely still in a cache.
    const auto found = std::find_if(idle_.rbegin(), idle_.rend(),
                                    [&](const Mapping& idle) { return idle.bytes == bytes; });
    if (found == idle_.rend()) return {};
    const Mapping taken = *found;
    idle_.erase(std::next(found).base());
    bytes_ -= taken.bytes;
    return taken;
  }

  void Put(Mapping mapping) DL_EXCLUDES(mutex_) {
    std::vector<Mapping> gone;
    if (mapping.bytes > FloatBuffer::kMaxIdleBytes) {
      gone.push_back(mapping);
    } else {
      MutexLock lock(mutex_);
      idle_.push_back(mapping);
      bytes_ += mapping.bytes;
      auto kept = idle_.begin();
      while (bytes_ > FloatBuffer::kMaxIdleBytes) bytes_ -= (kept++)->bytes;
      gone.assign(idle_.begin(), kept);
      idle_.erase(idle_.begin(), kept);
    }
    for (const Mapping& old : gone) munmap(old.memory, old.bytes);
  }

  size_t bytes() DL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return bytes_;
  }

 private:
  Mutex mutex_;
  std::vector<Mapping> idle_ DL_GUARDED_BY(mutex_);  // oldest first
  size_t bytes_ DL_GUARDED_BY(mutex_) = 0;
};

std::atomic<size_t> mapped_in_use = 0;  // bytes

IdleMappings& TheIdleMappings() {
  static IdleMappings* const idle = new IdleMappings;  // never destroyed: buffers may outlive it
  return *idle;
}

}  // namespace

size_t FloatBuffer::IdleBytes() { return TheIdleMappings().bytes(); }

size_t FloatBuffer::MappedBytes() { return mapped_in_use; }

StatusOr<FloatBuffer> FloatBuffer::Create(int64_t count) {
  if (count < 0 || count > limits::kMaxBufferFloats) {
    return ResourceExhausted(
        {.message = absl::StrCat("a buffer of ", count, " floats is over the limit of ",
                                 limits::kMaxBufferFloats)});
  }
  FloatBuffer buffer;
  if (count == 0) return buffer;
  const size_t bytes = static_cast<size_t>(count) * sizeof(float);
  const size_t unit = bytes >= kHugePage ? kHugePage : kPage;
  const size_t mapped = (bytes + unit - 1) / unit * unit;
  if (const Mapping idle = TheIdleMappings().Take(mapped); idle.memory != nullptr) {
    std::memset(idle.memory, 0, bytes);
    buffer.data_ = static_cast<float*>(idle.memory);
    buffer.size_ = count;
    buffer.mapped_bytes_ = mapped;
    mapped_in_use += mapped;
    return buffer;
  }
  void* memory = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return SystemError(errno, absl::StrCat("get memory for a buffer of ", bytes, " bytes"),
                       "memory");
  }
  if (unit == kHugePage)
    madvise(memory, mapped, MADV_HUGEPAGE);  // optional: a failure only costs speed
  buffer.data_ = static_cast<float*>(memory);
  buffer.size_ = count;
  buffer.mapped_bytes_ = mapped;
  mapped_in_use += mapped;
  return buffer;
}

FloatBuffer::FloatBuffer(FloatBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      mapped_bytes_(std::exchange(other.mapped_bytes_, 0)) {}

FloatBuffer& FloatBuffer::operator=(FloatBuffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(mapped_bytes_, other.mapped_bytes_);
  return *this;
}

FloatBuffer::~FloatBuffer() {
  if (data_ == nullptr) return;
  mapped_in_use -= mapped_bytes_;
  TheIdleMappings().Put({data_, mapped_bytes_});
}

}  // namespace dl
