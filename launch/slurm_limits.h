// The limits of slurm[N], beside base/limits.h.
#pragma once

#include <chrono>
#include <cstdint>

namespace dl::limits {

inline constexpr int32_t kMaxSlurm = 1024;           // executors of slurm[N]
inline constexpr int64_t kMaxSlurmAnswer = 4 << 20;  // what a command of Slurm prints
inline constexpr int kSlurmSignalSeconds = 90;       // before the time limit: last checkpoints
inline constexpr std::chrono::milliseconds kSlurmCommandLimit{
    120'000};  // sbatch, scontrol and scancel ask their controller again for a while
inline constexpr std::chrono::milliseconds kSlurmPoll{2'000};  // between two looks at a job's state
inline constexpr std::chrono::milliseconds kSharedFileLag{
    5'000};  // until a file that another machine wrote is seen here
// A batch job that Slurm calls running has lost its first node when nobody has its data folder for
// so long: from its start, and later.
inline constexpr std::chrono::milliseconds kBatchStart{600'000};
inline constexpr std::chrono::milliseconds kBatchLost{20'000};
inline constexpr int64_t kMaxFollowedLine = 4 << 20;  // of a file that another process writes

}  // namespace dl::limits
