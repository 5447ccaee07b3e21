#include "tests/torch/seeded.h"

#include <cmath>
#include <string>

namespace dl::torch {

SeededWords::SeededWords(std::string_view name) : state_(0xCBF29CE484222325) {
  for (const char c : name) state_ = (state_ ^ static_cast<uint8_t>(c)) * 0x100000001B3;  // FNV-1a
}

uint64_t SeededWords::Next() {
  uint64_t z = state_ += 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

double SeededWords::Uniform() { return static_cast<double>(Next() >> 40) / (1 << 23) - 1; }

int32_t SeededWords::Below(int64_t bound) {
  return static_cast<int32_t>(Next() % static_cast<uint64_t>(bound));
}

void FillSeeded(std::string_view name, const Scale& scale, std::span<float> values) {
  SeededWords words(name);
  for (float& value : values)
    value = static_cast<float>(words.Uniform() * scale.bound + scale.center);
}

Sketch SketchOf(std::string_view name, std::span<const float> tensor) {
  SeededWords words("sketch of " + std::string(name));
  Sketch sketch{};
  for (const float value : tensor) {
    const uint64_t drawn = words.Next();
    sketch[drawn % sketch.size()] += (drawn >> 63) != 0 ? -value : value;
  }
  return sketch;
}

double Distance(const Sketch& a, const Sketch& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

}  // namespace dl::torch
