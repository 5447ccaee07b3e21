#include "base/float_buffer_pool.h"

#include <algorithm>
#include <utility>

namespace dl {

StatusOr<std::shared_ptr<FloatBuffer>> FloatBufferPool::Take(int64_t count) {
  FloatBuffer buffer;
  {
    MutexLock lock(shelf_->mutex);
    auto& free = shelf_->free;
    // The newest first: it is the likeliest to be in a cache.
    const auto fits = std::find_if(free.rbegin(), free.rend(),
                                   [&](const FloatBuffer& b) { return b.size() == count; });
    if (fits != free.rend()) {
      buffer = std::move(*fits);
      free.erase(std::next(fits).base());
    }
  }
  if (buffer.size() != count) {
    DL_ASSIGN_OR_RETURN(buffer, FloatBuffer::Create(count));
  }
  // Back to the shelf as long as somebody can take it from there.
  return std::shared_ptr<FloatBuffer>(new FloatBuffer(std::move(buffer)),
                                      [shelf = std::weak_ptr(shelf_)](FloatBuffer* returned) {
                                        const std::unique_ptr<FloatBuffer> owner(returned);
                                        const std::shared_ptr<Shelf> home = shelf.lock();
                                        if (home == nullptr) return;
                                        MutexLock lock(home->mutex);
                                        home->free.push_back(std::move(*owner));
                                      });
}

}  // namespace dl
