#include "nn/losses/mean_absolute_error_loss.h"

#include "nn/kernels/error_rows.h"
#include "nn/losses/mean_over_outputs.h"

namespace dl::nn {
namespace {

class MeanAbsoluteErrorLoss : public MeanOverOutputs {
  double RowSum(const Compared& row) const override {
    return AbsoluteErrorRow(row.y, row.targets, row.n);
  }
  void Derivatives(const Compared& all, double share, float* gradient) const override {
    AbsoluteErrorGradient(all.y, all.targets, all.n, static_cast<float>(share), gradient);
  }
};

}  // namespace

std::unique_ptr<const Loss> MakeMeanAbsoluteError() {
  return std::make_unique<MeanAbsoluteErrorLoss>();
}

}  // namespace dl::nn
