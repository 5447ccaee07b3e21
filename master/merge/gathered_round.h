// Adds the contributions of a gathered round to its mean and releases them. The grid is known
// beforehand. If a sum is opened, its contributions are requested too, added up separately, and
// compared with the sum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "averaging/partial_sum.h"
#include "base/float_buffer_pool.h"
#include "base/status.h"
#include "master/core/master_events.h"
#include "master/merge/gathers.h"
#include "master/merge/round_merger.h"
#include "master/merge/round_state.h"

namespace dl::master {

// Not thread-safe.
class GatheredRound {
 public:
  // All of these must outlive this object.
  GatheredRound(const JobMaterial& material, FloatBufferPool& pool, RoundMerger& merger)
      : material_(material), pool_(pool), merger_(merger) {}

  // Starts a gather. Forgets an earlier gather of the round.
  void Open(const OpenGather& effect);
  // Returns the errors of RoundMerger::OpenGather in the last Open. After an error the round cannot
  // be merged.
  const Status& status() const { return status_; }
  // Adds a complete and verified content to the mean, and passes the parts that workers keep to
  // `gathers`. A contribution of an opened sum is not added but compared. Returns false if the
  // contributions do not give the opened sum; true otherwise, also while some are missing. Adds
  // nothing and returns true unless status() is OK, because the sender is not at fault. Returns the
  // errors of RoundMerger::AddGathered, averaging::PartialSum and FloatBufferPool::Take, and
  // Internal for a contribution of a sum that is not open.
  StatusOr<bool> Add(const ExpectGather& expected, const std::shared_ptr<FloatBuffer>& content,
                     Gathers& gathers);

 private:
  // An opened sum and the sum of its contributions so far.
  struct OpenedSum {
    uint64_t number = 0;
    std::shared_ptr<FloatBuffer> content;  // the sum as received; shared with the receiver
    averaging::PartialSum parts;
    size_t left = 0;  // contributions that have not arrived
  };

  Status AddToMean(const ExpectGather& expected, const std::shared_ptr<FloatBuffer>& content);
  Status OpenSum(const ExpectGather& expected, const std::shared_ptr<FloatBuffer>& content);
  StatusOr<bool> Compare(const ExpectGather& expected, const FloatBuffer& content);
  Status KeepWorkerParts(const ExpectGather& expected, const FloatBuffer& content,
                         Gathers& gathers);

  const JobMaterial& material_;
  FloatBufferPool& pool_;
  RoundMerger& merger_;
  Status status_;
  std::optional<OpenedSum> opened_;
};

}  // namespace dl::master
