#include "nn/losses/hinge_loss.h"

#include "nn/kernels/error_rows.h"
#include "nn/losses/mean_over_outputs.h"

namespace dl::nn {
namespace {

class HingeLoss : public MeanOverOutputs {
  double RowSum(const Compared& row) const override { return HingeRow(row.y, row.targets, row.n); }
  void Derivatives(const Compared& all, double share, float* gradient) const override {
    HingeGradient(all.y, all.targets, all.n, static_cast<float>(share), gradient);
  }
};

class SquaredHingeLoss : public MeanOverOutputs {
  double RowSum(const Compared& row) const override {
    return SquaredHingeRow(row.y, row.targets, row.n);
  }
  void Derivatives(const Compared& all, double share, float* gradient) const override {
    SquaredHingeGradient(all.y, all.targets, all.n, static_cast<float>(2.0 * share), gradient);
  }
};

}  // namespace

std::unique_ptr<const Loss> MakeHinge() { return std::make_unique<HingeLoss>(); }
std::unique_ptr<const Loss> MakeSquaredHinge() { return std::make_unique<SquaredHingeLoss>(); }

}  // namespace dl::nn
