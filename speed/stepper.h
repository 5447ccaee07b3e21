// Something that makes training steps of one task and measures them: the engine, or a rival.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "speed/measured_steps.h"

namespace dl::speed {

class Stepper {
 public:
  struct Steps {
    StepTimes times;
    std::vector<double> losses;
  };

  virtual ~Stepper() = default;
  // Makes the next `count` steps.
  virtual StatusOr<Steps> Make(int64_t count) = 0;
  // Returns by how many bytes the memory of the process grew by the model and its steps.
  virtual int64_t MemoryGrowth() const = 0;
};

}  // namespace dl::speed
