#include "base/unique.h"

#include <set>

#include "tests/support/status_matchers.h"

namespace dl {
namespace {

TEST(UniqueNumber, DoesNotRepeat) {
  std::set<uint64_t> numbers;
  for (int i = 0; i < 1000; ++i) {
    const StatusOr<uint64_t> number = UniqueNumber();
    DL_ASSERT_OK(number);
    EXPECT_TRUE(numbers.insert(*number).second) << *number;
  }
}

}  // namespace
}  // namespace dl
