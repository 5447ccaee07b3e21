// Exit codes of the programs (docs/operations/commands.md). Other signals give 128 plus the number
// of the signal.
#pragma once

namespace dl::exit_status {

inline constexpr int kSuccess = 0;
inline constexpr int kFailed = 1;            // the job failed, or the request is not possible now
inline constexpr int kUsage = 2;             // wrong command line
inline constexpr int kCancelled = 3;         // the job was cancelled
inline constexpr int kNotFound = 4;          // no such job, checkpoint, program or file
inline constexpr int kBadData = 65;          // of a dataset, or damaged stored data
inline constexpr int kUnreachable = 69;      // the master or Slurm does not answer
inline constexpr int kInternalError = 70;    // a bug of Paravane
inline constexpr int kInputOutput = 74;      // a file or stdout cannot be used, or a disk is full
inline constexpr int kTryAgain = 75;         // in use or used up now: folder, port, queue, memory
inline constexpr int kVersionMismatch = 76;  // of programs, protocols, stores or documents
inline constexpr int kAuthentication = 77;   // the caller is not allowed to do this
inline constexpr int kInvalidConfig = 78;    // a mistake in a job spec or another config
inline constexpr int kTimeout = 124;         // the --timeout of `wait` is over
inline constexpr int kInterrupted = 130;     // SIGINT
inline constexpr int kTerminated = 143;      // SIGTERM

}  // namespace dl::exit_status
