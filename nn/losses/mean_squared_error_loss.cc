#include "nn/losses/mean_squared_error_loss.h"

#include "nn/kernels/error_rows.h"
#include "nn/losses/mean_over_outputs.h"

namespace dl::nn {
namespace {

class MeanSquaredErrorLoss : public MeanOverOutputs {
  double RowSum(const Compared& row) const override {
    return SquaredErrorRow(row.y, row.targets, row.n);
  }
  void Derivatives(const Compared& all, double share, float* gradient) const override {
    ErrorGradient(all.y, all.targets, all.n, static_cast<float>(2.0 * share), gradient);
  }
};

}  // namespace

std::unique_ptr<const Loss> MakeMeanSquaredError() {
  return std::make_unique<MeanSquaredErrorLoss>();
}

}  // namespace dl::nn
