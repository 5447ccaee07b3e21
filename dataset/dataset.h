// A dataset that can be read: manifest, normalizers, the cache of its blocks, and the epoch orders
// in use.
#pragma once

#include <memory>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "dataset/decoded_block_cache.h"
#include "dataset/epoch_order.h"
#include "dataset/manifest.h"
#include "dataset/normalizer.h"
#include "dataset/target_normalizer.h"

namespace dl::dataset {

// Thread-safe. Readers and the code that creates units share it.
class Dataset {
 public:
  // Returns errors of ValidateManifest. Several datasets may share `cache`.
  static StatusOr<std::shared_ptr<const Dataset>> Create(Manifest manifest,
                                                         std::shared_ptr<DecodedBlockCache> cache);

  const Manifest& manifest() const { return manifest_; }
  const FeatureScaler& scaler() const { return scaler_; }
  const TargetScaler& target_scaler() const { return target_scaler_; }

  // Returns the order of an epoch. Keeps the few orders that were created last, because the units
  // of a round share an order. OrderOfEpoch and OrderOfEvaluation in job_plan.h return the keys.
  // Returns the errors of EpochOrder::Create.
  StatusOr<std::shared_ptr<const EpochOrder>> Order(const EpochOrderKey& key) const
      DL_EXCLUDES(mutex_);

  // Returns block `index` of the manifest, verified. Errors are those of DecodedBlockCache::Get.
  // May wait for the block's source. REQUIRES: index < manifest().blocks.size().
  StatusOr<std::shared_ptr<const Block>> ReadBlock(uint32_t index) const {
    return cache_->Get(manifest_.blocks[index], manifest_.schema);
  }

 private:
  Dataset(Manifest manifest, std::shared_ptr<DecodedBlockCache> cache)
      : manifest_(std::move(manifest)),
        scaler_(manifest_.schema, manifest_.normalizer),
        target_scaler_(manifest_.target_normalizer),
        cache_(std::move(cache)) {}

  const Manifest manifest_;
  const FeatureScaler scaler_;
  const TargetScaler target_scaler_;
  const std::shared_ptr<DecodedBlockCache> cache_;
  mutable Mutex mutex_;
  mutable std::vector<std::shared_ptr<const EpochOrder>> orders_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::dataset
