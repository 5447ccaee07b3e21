// Numbers that both sides make alike from a name, and the sketches by which tensors are compared:
// what seeded.py does, to the bit.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace dl::torch {

// The outputs of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), from a seed that the name gives.
class SeededWords {
 public:
  explicit SeededWords(std::string_view name);
  uint64_t Next();
  double Uniform();  // in [-1, 1), a multiple of 2^-23
  int32_t Below(int64_t bound);

 private:
  uint64_t state_;
};

// center + bound * Uniform, rounded to float32.
struct Scale {
  double center = 0, bound = 1;
};
void FillSeeded(std::string_view name, const Scale& scale, std::span<float> values);

// A tensor's count sketch (Charikar, Chen, Farach-Colton, ICALP 2002): each element goes with a
// sign to one of the sums. It is linear, and its expected squared norm is the tensor's.
using Sketch = std::array<double, 64>;
Sketch SketchOf(std::string_view name, std::span<const float> tensor);

double Distance(const Sketch& a, const Sketch& b);

}  // namespace dl::torch
