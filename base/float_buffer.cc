#include "base/float_buffer.h"

#include <sys/mman.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/limits.h"

namespace dl {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kHugePage = size_t{2} << 20;

}  // namespace

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
  void* memory = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return ResourceExhausted(
        {.message = absl::StrCat("no memory for a buffer of ", bytes, " bytes"),
         .remedy = "Free memory or lower what is kept at once"});
  }
  if (unit == kHugePage)
    madvise(memory, mapped, MADV_HUGEPAGE);  // a wish: refusal costs speed only
  buffer.data_ = static_cast<float*>(memory);
  buffer.size_ = count;
  buffer.mapped_bytes_ = mapped;
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
  if (data_ != nullptr) munmap(data_, mapped_bytes_);
}

}  // namespace dl
