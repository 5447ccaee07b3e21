#include "nn/conf/layers/dropout.h"

#include "gtest/gtest.h"

namespace dl::nn {
namespace {

// For values with mean 0 and variance 1, to which SELU converges.
TEST(AlphaTerms, MeanAndVarianceStay) {
  for (const double p : {0.0, 0.05, 0.1, 0.5, 0.9}) {
    const AlphaTerms terms = AlphaTermsOf(p);
    const double mean = p * terms.dropped + (1 - p) * terms.shift;
    const double square = p * terms.dropped * terms.dropped +
                          (1 - p) * (terms.scale * terms.scale + terms.shift * terms.shift);
    EXPECT_NEAR(mean, 0, 1e-12) << p;
    EXPECT_NEAR(square, 1, 1e-12) << p;
  }
  EXPECT_EQ(AlphaTermsOf(0).scale, 1);
  EXPECT_EQ(AlphaTermsOf(0).shift, 0);
}

}  // namespace
}  // namespace dl::nn
