// Losses that are the mean over the outputs of a function of the error z - t.
#pragma once

#include "tests/gradient/reference/reference_loss.h"

namespace dl::reference {

class ErrorLoss : public RowLoss {
 public:
  double Of(Row z, const ExpectedRow& expected) const final;
  Values Gradient(Row z, const ExpectedRow& expected) const final;
  double KinkDistance(Row z, const ExpectedRow& expected) const final;

 private:
  virtual double OfError(double error) const = 0;
  virtual double Derivative(double error) const = 0;
  // Returns the distance of an error from the nearest point where the derivative is not continuous,
  // or not differentiable.
  virtual double Distance(double) const { return std::numeric_limits<double>::infinity(); }
};

class SquaredError : public ErrorLoss {
  double OfError(double error) const override;
  double Derivative(double error) const override;
};

class AbsoluteError : public ErrorLoss {
  double OfError(double error) const override;
  double Derivative(double error) const override;
  double Distance(double error) const override;
};

class Huber : public ErrorLoss {
 public:
  explicit Huber(double delta) : delta_(delta) {}

 private:
  double OfError(double error) const override;
  double Derivative(double error) const override;
  double Distance(double error) const override;

  double delta_;
};

}  // namespace dl::reference
