// nn/conf/losses/ctc.h of one example, by its definition: every path is looked at.
#pragma once

#include "tests/gradient/reference/loss.h"

namespace dl::reference {

class Ctc : public RowLoss {
 public:
  bool JudgesExamples() const override { return true; }
  double Of(Row z, const ExpectedRow& expected) const override;
  Values Gradient(Row z, const ExpectedRow& expected) const override;
  Values Prediction(Row z) const override;  // of one step
};

}  // namespace dl::reference
