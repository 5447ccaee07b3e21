// A function of one bf16 value and its derivative, stored for all 65,536 values. A lookup takes
// less time than a smooth function in float32. Immutable, so any thread may use it.
#pragma once

#include <cstdint>
#include <vector>

namespace dl::nn {

class Bf16Table {
 public:
  static constexpr int64_t kValues = int64_t{1} << 16;

  // Entry i belongs to the value with the bits i. `values` are rounded. REQUIRES: kValues entries
  // each.
  Bf16Table(const std::vector<float>& values, std::vector<float> slopes);

  // x = f(x), in place.
  void Apply(uint16_t* x, int64_t n) const;
  // dy = dy f'(x), in place: multiplied in float32 and rounded. The entries of `slopes` belong to
  // the values in `kept`, which may be x or f(x).
  void Derive(const uint16_t* kept, uint16_t* dy, int64_t n) const;

 private:
  std::vector<uint16_t> values_;
  std::vector<float> slopes_;
};

}  // namespace dl::nn
