// nn/conf/losses/ctc.h for one example, by its definition: enumerates every path.
#pragma once

#include "tests/gradient/reference/reference_loss.h"

namespace dl::reference {

class Ctc : public RowLoss {
 public:
  bool JudgesExamples() const override { return true; }
  double Of(Row z, const ExpectedRow& expected) const override;
  Values Gradient(Row z, const ExpectedRow& expected) const override;
  Values Prediction(Row z) const override;  // of one step
};

}  // namespace dl::reference
