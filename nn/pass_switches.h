// The passes that rewrite the operations of a model (nn/layers/lowering.h) before they are
// compiled, or change their order. A training network runs all of them. Tests switch a pass off to
// compare results.
#pragma once

namespace dl::nn {

struct PassSwitches {
  // Training computes the last layers only for the rows that count in the loss
  // (nn/layers/counted_rows_only.h). Sums over rows are rounded in another order, so this changes
  // bits if rows do not count.
  bool counted_rows_only = true;
  // Training computes a loss and its gradient in one pass over each row, in place of the outputs,
  // if the loss can (Loss::AddLossesInPlace). Changes no bit.
  bool loss_of_rows = true;
  // Training updates a parameter as soon as its gradient is final, if the update needs no other
  // gradient (ParameterStore::ConsumesGradient). Changes no bit.
  bool early_updates = true;

  bool operator==(const PassSwitches&) const = default;
};

}  // namespace dl::nn
