// Adds what comes of a round that is gathered to its mean, on the grid that is known beforehand,
// and lets go of it. A sum may be opened: then its parts come too, are added by themselves, and
// must give the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "averaging/partial_sum.h"
#include "base/float_buffer_pool.h"
#include "base/status.h"
#include "master/core/events.h"
#include "master/merge/gathers.h"
#include "master/merge/job_state.h"
#include "master/merge/round_merger.h"

namespace dl::master {

// Not thread-safe.
class GatheredRound {
 public:
  // These outlive it.
  GatheredRound(const JobMaterial& material, FloatBufferPool& pool, RoundMerger& merger)
      : material_(material), pool_(pool), merger_(merger) {}

  Status Open(const OpenGather& effect);
  // Adds what came whole and verified, and gives `gathers` what its workers keep to themselves. A
  // part of an opened sum is compared instead: false when that sum is not what its parts give; true
  // while some have not come.
  StatusOr<bool> Add(const ExpectGather& expected, const std::shared_ptr<FloatBuffer>& content,
                     Gathers& gathers);

 private:
  // What its parts give, of a sum that is opened.
  struct OpenedSum {
    uint64_t number = 0;
    std::shared_ptr<FloatBuffer> content;  // as it came; shared with the receiver
    averaging::PartialSum parts;
    size_t left = 0;  // parts that have not come
  };

  Status AddToMean(const ExpectGather& expected, const std::shared_ptr<FloatBuffer>& content);
  Status OpenSum(const ExpectGather& expected, const std::shared_ptr<FloatBuffer>& content);
  StatusOr<bool> Compare(const ExpectGather& expected, const FloatBuffer& content);
  Status KeepWorkerParts(const ExpectGather& expected, const FloatBuffer& content,
                         Gathers& gathers);

  const JobMaterial& material_;
  FloatBufferPool& pool_;
  RoundMerger& merger_;
  std::optional<OpenedSum> opened_;
};

}  // namespace dl::master
