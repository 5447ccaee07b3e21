#include "nn/losses/poisson_loss.h"

#include "nn/backend/parallel_for.h"
#include "nn/kernels/error_rows.h"
#include "nn/losses/mean_over_outputs.h"

namespace dl::nn {
namespace {

class PoissonLoss : public MeanOverOutputs {
 public:
  void Predict(const Outputs& y) const override {
    ForElements(y.rows * y.outputs,
                [&](int64_t begin, int64_t end) { Exponential(y.values + begin, end - begin); });
  }

  void AddLosses(const Outputs& y, const Expected& expected, MetricSums& sums) const override {
    MeanOverOutputs::AddLosses(y, expected, sums);
    Predict(y);
  }

 private:
  double RowSum(const Compared& row) const override {
    return PoissonRow(row.y, row.targets, row.n);
  }
  void Derivatives(const Compared& all, double share, float* gradient) const override {
    ErrorGradient(all.y, all.targets, all.n, static_cast<float>(share), gradient);
  }
};

}  // namespace

std::unique_ptr<const Loss> MakePoisson() { return std::make_unique<PoissonLoss>(); }

}  // namespace dl::nn
