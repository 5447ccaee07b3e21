// Exit codes as documented in docs/operations/commands.md. They are not taken from the product, so
// that tests compare the product with the documentation.
#pragma once

namespace dl::test {

inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;
inline constexpr int kCancelled = 3;
inline constexpr int kBadData = 65;
inline constexpr int kUnavailable = 69;
inline constexpr int kInputOutput = 74;
inline constexpr int kOtherVersion = 76;
inline constexpr int kDenied = 77;
inline constexpr int kInvalidConfig = 78;
inline constexpr int kInterrupted = 130;

}  // namespace dl::test
