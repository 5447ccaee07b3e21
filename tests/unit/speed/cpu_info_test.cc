#include "speed/cpu_info.h"

#include "gtest/gtest.h"

namespace dl::speed {
namespace {

TEST(CpuName, HasFamilyAndModel) {
  EXPECT_EQ(CpuName("processor\t: 0\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD EPYC\n"),
            "AMD EPYC (family 25, model 17)");
  EXPECT_EQ(CpuName(""), "unknown CPU (family 0, model 0)");
}

}  // namespace
}  // namespace dl::speed
