#include "nn/losses/huber_loss.h"

#include "nn/kernels/error_rows.h"
#include "nn/losses/mean_over_outputs.h"

namespace dl::nn {
namespace {

class HuberLoss : public MeanOverOutputs {
 public:
  explicit HuberLoss(const Huber& conf) : delta_(conf.delta) {}

 private:
  double RowSum(const Compared& row) const override {
    return HuberRow(row.y, row.targets, row.n, delta_);
  }
  void Derivatives(const Compared& all, double share, float* gradient) const override {
    HuberGradient(all.y, all.targets, all.n,
                  {.delta = static_cast<float>(delta_), .scale = static_cast<float>(share)},
                  gradient);
  }

  const double delta_;
};

}  // namespace

std::unique_ptr<const Loss> MakeHuber(const Huber& conf) {
  return std::make_unique<HuberLoss>(conf);
}

}  // namespace dl::nn
