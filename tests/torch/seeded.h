// Pseudo-random numbers that this test and PyTorch's script derive from a name, and the sketches by
// which tensors are compared. seeded.py computes the same bits.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace dl::torch {

// Generates the outputs of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). The name determines the
// seed.
class SeededWords {
 public:
  explicit SeededWords(std::string_view name);
  uint64_t Next();
  double Uniform();  // in [-1, 1), a multiple of 2^-23
  int32_t Below(int64_t bound);

 private:
  uint64_t state_;
};

// Values are center + bound * Uniform(), rounded to float32.
struct Scale {
  double center = 0, bound = 1;
};
void FillSeeded(std::string_view name, const Scale& scale, std::span<float> values);

// A count sketch of a tensor (Charikar, Chen, Farach-Colton, ICALP 2002). Each element is added to
// one of the sums with a random sign. The sketch is linear, and the expectation of its squared norm
// is that of the tensor.
using Sketch = std::array<double, 64>;
Sketch SketchOf(std::string_view name, std::span<const float> tensor);

double Distance(const Sketch& a, const Sketch& b);

}  // namespace dl::torch
