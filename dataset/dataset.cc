#include "dataset/dataset.h"

namespace dl::dataset {
namespace {

// The end of an epoch, the start of the next one and an evaluation may run at the same time.
constexpr size_t kOrders = 4;

}  // namespace

StatusOr<std::shared_ptr<const Dataset>> Dataset::Create(Manifest manifest,
                                                         std::shared_ptr<DecodedBlockCache> cache) {
  DL_RETURN_IF_ERROR(ValidateManifest(manifest));
  return std::shared_ptr<const Dataset>(new Dataset(std::move(manifest), std::move(cache)));
}

StatusOr<std::shared_ptr<const EpochOrder>> Dataset::Order(const EpochOrderKey& key) const {
  {
    MutexLock lock(mutex_);
    for (const auto& order : orders_) {
      if (order->key() == key) return order;
    }
  }
  DL_ASSIGN_OR_RETURN(auto order, EpochOrder::Create(BlockExamples(manifest_), key));
  MutexLock lock(mutex_);
  orders_.insert(orders_.begin(), order);
  if (orders_.size() > kOrders) orders_.pop_back();
  return order;
}

}  // namespace dl::dataset
