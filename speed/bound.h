// A lower bound of the time of a training step on a machine. A fixed measure is better than another
// program: it has no version, and it exists for every model and instruction set.
#pragma once

#include "nn/conf/step_cost.h"
#include "speed/machine_speed.h"

namespace dl::speed {

// Share of the peak in registers that a product of matrices can reach.
inline constexpr double kReachableShare = 0.92;
// Number of times that a step moves each stored activation: written and read forward, its gradient
// written and read backward.
inline constexpr double kPassesOverActivations = 4;

// In seconds.
struct Bound {
  double products = 0;     // nn::StepCost::flops at kReachableShare of the peak
  double update = 0;       // nn::StepCost::update_bytes at `update_bandwidth`
  double activations = 0;  // kPassesOverActivations passes at the bandwidth of the cache
  double total() const { return products + update + activations; }
};

// `update_bandwidth` is that of arrays of nn::StepCost::update_storage bytes, in bytes a second.
inline Bound BoundOf(const nn::StepCost& cost, const MachineSpeed& speed, double update_bandwidth) {
  return {.products = cost.flops / (kReachableShare * speed.peak),
          .update = cost.update_bytes / update_bandwidth,
          .activations = kPassesOverActivations * cost.activation_bytes / speed.cache_bandwidth};
}

}  // namespace dl::speed
