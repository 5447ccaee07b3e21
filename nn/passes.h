// The passes that rewrite the operations of a model (nn/layers/lowering.h) before they are
// compiled. A training network runs all of them. Tests switch a pass off to compare results.
#pragma once

namespace dl::nn {

struct Passes {
  // Training computes the last layers only for the rows that count in the loss
  // (nn/layers/counted_rows_only.h). Sums over rows are rounded in another order, so this changes
  // bits if rows do not count.
  bool counted_rows_only = true;

  bool operator==(const Passes&) const = default;
};

}  // namespace dl::nn
