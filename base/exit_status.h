// Exit codes of the programs (docs/operations/commands.md). This is their only definition.
#pragma once

namespace dl::exit_status {

inline constexpr int kSuccess = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;
inline constexpr int kCancelled = 3;
inline constexpr int kNotFound = 4;
inline constexpr int kBadData = 65;
inline constexpr int kUnreachable = 69;
inline constexpr int kOurBug = 70;
inline constexpr int kInputOutput = 74;
inline constexpr int kTryAgain = 75;
inline constexpr int kVersionMismatch = 76;
inline constexpr int kAuthentication = 77;
inline constexpr int kInvalidConfig = 78;
inline constexpr int kTimeout = 124;
inline constexpr int kInterrupted = 130;  // SIGINT
inline constexpr int kTerminated = 143;   // SIGTERM

}  // namespace dl::exit_status
