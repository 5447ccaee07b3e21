// nn/conf/losses/triplet.h for one row.
#pragma once

#include "tests/gradient/reference/reference_loss.h"

namespace dl::reference {

class Triplet : public RowLoss {
 public:
  explicit Triplet(double margin) : margin_(margin) {}
  double Of(Row z, const ExpectedRow& expected) const override;
  Values Gradient(Row z, const ExpectedRow& expected) const override;
  double KinkDistance(Row z, const ExpectedRow& expected) const override;

 private:
  // Returns the argument of max(0, .).
  double Inner(Row z) const;

  double margin_;
};

}  // namespace dl::reference
