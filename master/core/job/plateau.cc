#include "master/core/job/plateau.h"

namespace dl::master {

Plateaus Follow(const PlateauPolicy& policy, const EarlyStoppingPolicy& judged,
                const Plateaus& before, int64_t round, double value) {
  if (!policy.enabled) return before;
  EarlyStoppingPolicy gains = judged;
  gains.min_delta = policy.min_delta;
  Plateaus after{.best = Judge(gains, before.best, round, value), .count = before.count};
  if (after.best.epochs_without_gain < policy.patience) return after;
  after.best.epochs_without_gain = 0;
  ++after.count;
  return after;
}

}  // namespace dl::master
