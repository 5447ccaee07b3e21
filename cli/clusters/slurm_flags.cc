#include "cli/clusters/slurm_flags.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "cli/exit_code.h"

namespace dl::cli {
namespace {

constexpr char kPartition[] = "--slurm-partition", kTime[] = "--slurm-time",
               kAccount[] = "--slurm-account", kMemory[] = "--slurm-memory",
               kCpus[] = "--slurm-cpus-per-task";

}  // namespace

void SlurmFlags::Declare(Flags& flags) {
  flags.Text(kPartition, "NAME", partition_, "slurm[N]: partition. Default: the site's default.");
  flags.Text(kTime, "TIME", time_,
             "slurm[N]: time limit in Slurm's form (MINUTES, H:MM:SS or D-HH). At the limit the "
             "job is requeued and continues. Default: the partition's limit.");
  flags.Text(kAccount, "NAME", account_,
             "slurm[N]: account to charge. Default: the site's default.");
  flags.Bytes(
      kMemory, memory_bytes_,
      "slurm[N]: memory of each executor's task, for example 4G. Default: the site's default.");
  flags.Integer(kCpus, "C", cpus_,
                "slurm[N]: number of CPUs and slots of each executor. Default: 1.", 1,
                limits::kMaxSlots);
}

Status SlurmFlags::Check(const launch::Target& target) const {
  const std::vector<std::pair<const char*, std::string>> texts = {
      {kPartition, partition_}, {kTime, time_}, {kAccount, account_}};
  std::string given;
  for (const auto& [flag, value] : texts) {
    if (!value.empty() && given.empty()) given = flag;
    const bool controls =
        std::any_of(value.begin(), value.end(), [](unsigned char c) { return c < 32 || c == 127; });
    if (!controls && !value.starts_with("-")) continue;
    return UsageError(
        {.message = absl::StrCat(
             "\"", absl::CHexEscape(value.substr(0, 80)), "\" is not a value for Slurm: it ",
             controls ? "has a line break or control character" : "begins with \"-\""),
         .where = flag,
         .remedy = "Give a name or a time in Slurm's form; sinfo shows partitions"});
  }
  if (memory_bytes_ > 0 && given.empty()) given = kMemory;
  if (cpus_ > 0 && given.empty()) given = kCpus;
  if (given.empty() || target.is_batch()) return absl::OkStatus();
  return UsageError({.message = absl::StrCat("Slurm is not asked for ", target.ToString()),
                     .where = given,
                     .remedy = "Leave it out, or give --master 'slurm[N]'"});
}

launch::BatchRequest SlurmFlags::Request(const launch::Target& target) const {
  return {.executors = target.count(),
          .partition = partition_,
          .time = time_,
          .account = account_,
          .memory_bytes = memory_bytes_,
          .cpus = std::max<int64_t>(cpus_, 1)};
}

}  // namespace dl::cli
