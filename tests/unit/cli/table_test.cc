// Tables of text.
#include "cli/output/table.h"

#include "gtest/gtest.h"

namespace dl::cli {
namespace {

TEST(Table, ColumnsAreAligned) {
  EXPECT_EQ(RenderTable({{"JOB", "STATE"}, {"lenet-1", "RUNNING"}, {"x", ""}}),
            "JOB      STATE\nlenet-1  RUNNING\nx\n");
}

TEST(Table, LongestLineIsCounted) {
  EXPECT_EQ(LongestLine("ab\nabcd\na"), 4);
  EXPECT_EQ(LongestLine(""), 0);
}

}  // namespace
}  // namespace dl::cli
