// Matchers for a Status: OK, or an error code and a text that the description must contain.
#pragma once

#include "base/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dl::test {

inline const Status& StatusOf(const Status& status) { return status; }
template <typename T>
const Status& StatusOf(const StatusOr<T>& value) {
  return value.status();
}

MATCHER(IsOk, "is OK") {
  *result_listener << DescribeError(StatusOf(arg));
  return StatusOf(arg).ok();
}
// Matches an error by its code and by a piece of its whole description (message, where, remedy).
MATCHER_P2(IsError, code, piece, "is such an error") {
  const Status& status = StatusOf(arg);
  *result_listener << ErrorCodeName(status.code()) << ": " << DescribeError(status);
  return status.code() == code && DescribeError(status).find(piece) != std::string::npos;
}

}  // namespace dl::test

#define DL_ASSERT_OK(expr) ASSERT_THAT((expr), ::dl::test::IsOk())
#define DL_EXPECT_OK(expr) EXPECT_THAT((expr), ::dl::test::IsOk())
