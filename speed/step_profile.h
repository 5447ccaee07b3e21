// Adds up where the time of a training step goes: by layer, by kernel, and in our own loops.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "nn/backend/step_observer.h"

namespace dl::speed {

// Processor time of the thread that makes the step, in milliseconds.
struct StepProfile {
  struct Layer {
    std::string name;
    double forward = 0, backward = 0;
    double own = 0;  // of both: outside of kernels and reorders
  };
  struct Kernel {
    std::string name;
    int64_t calls = 0;
    double ms = 0;
  };
  std::vector<Layer> layers;    // in the order of their first forward step
  std::vector<Kernel> kernels;  // the longest first, without reorders
  double inputs = 0, losses = 0, update = 0;
  double total = 0;  // of the step
  double own = 0;    // outside of kernels and reorders
  int64_t reorders = 0, reordered_bytes = 0;
  double reorder = 0;  // time of the reorders
};

// Observes one step at a time. Not thread-safe.
class ProfileRecorder : public nn::StepObserver {
 public:
  void Begin(const nn::StepPart& part) override;
  void End() override;
  // Begins a step.
  void BeginStep();
  // Returns the profile of the step.
  StepProfile EndStep();

 private:
  struct Open {
    nn::StepPart part;
    Duration begin{};
    Duration in_kernels{};
  };
  StepProfile::Layer& LayerOf(std::string_view name);

  std::vector<Open> open_;
  StepProfile profile_;
  std::map<std::string, StepProfile::Kernel, std::less<>> kernels_;
  Duration begin_{}, in_kernels_{};
};

}  // namespace dl::speed
