#include "base/float_buffer_pool.h"

#include <algorithm>
#include <utility>

namespace dl {

StatusOr<std::shared_ptr<FloatBuffer>> FloatBufferPool::Take(int64_t count) {
  FloatBuffer buffer;
  {
    MutexLock lock(shelf_->mutex);
    auto& free = shelf_->free;
    shelf_->max_lent = std::max(shelf_->max_lent, shelf_->lent + 1);
    const int64_t oldest = ++shelf_->takes - std::max(kMinIdleTakes, 2 * shelf_->max_lent);
    // Prefers the newest, which is most likely still in a cache.
    const auto fits = std::find_if(free.rbegin(), free.rend(),
                                   [&](const Free& f) { return f.buffer.size() == count; });
    if (fits != free.rend()) {
      buffer = std::move(fits->buffer);
      free.erase(std::next(fits).base());
    }
    std::erase_if(free, [&](const Free& f) { return f.since <= oldest; });
  }
  if (buffer.size() != count) {
    DL_ASSIGN_OR_RETURN(buffer, FloatBuffer::Create(count));
  }
  {
    MutexLock lock(shelf_->mutex);
    ++shelf_->lent;
  }
  // The buffer returns to the shelf if the pool still exists.
  return std::shared_ptr<FloatBuffer>(new FloatBuffer(std::move(buffer)),
                                      [shelf = std::weak_ptr(shelf_)](FloatBuffer* returned) {
                                        const std::unique_ptr<FloatBuffer> owner(returned);
                                        const std::shared_ptr<Shelf> home = shelf.lock();
                                        if (home == nullptr) return;
                                        MutexLock lock(home->mutex);
                                        --home->lent;
                                        home->free.push_back({std::move(*owner), home->takes});
                                      });
}

int64_t FloatBufferPool::kept() const {
  MutexLock lock(shelf_->mutex);
  return static_cast<int64_t>(shelf_->free.size());
}

}  // namespace dl
