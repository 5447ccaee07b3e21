// doctor: checks of this machine and its data folder.
#include <sys/statfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <optional>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/limits.h"
#include "base/machine_memory.h"
#include "base/open_files.h"
#include "base/own_program.h"
#include "base/shell_word.h"
#include "base/spill_file.h"
#include "base/system_error.h"
#include "base/thread_limit.h"
#include "base/usable_cores.h"
#include "cli/clusters/doctor.h"
#include "launch/daemons/data_folder.h"
#include "launch/daemons/folder_fence.h"
#include "launch/kernel_contracts.h"
#include "launch/master_security.h"
#include "launch/version.h"
#include "rpc/protocol_version.h"
#include "rpc/socket_owner.h"
#include "security/certificates.h"
#include "security/secret_file.h"
#include "speed/cpu_info.h"

namespace dl::cli {
namespace {

constexpr int64_t kLittleMemory = int64_t{2} << 30;
constexpr int64_t kNfsMagic = 0x6969, kSmbMagic = 0x517B, kSmb2Magic = 0xFE534D42;  // statfs(2)
constexpr int64_t kExpiryWarningDays = 30;

std::string GiB(int64_t bytes) { return absl::StrFormat("%.1f GiB", std::ldexp(bytes, -30)); }

Check CheckProcessor() {
  const std::string name = speed::CpuName(speed::ReadCpuInfo());
  const std::vector<std::string> contracts = launch::DefaultContracts();
  if (contracts.empty()) {
    return Failed(
        "processor",
        FailedPrecondition(
            {.message = name + " has no AVX2: it can submit jobs but cannot compute",
             .remedy = "Start executors on machines with AVX2 (built since about 2015)"}));
  }
  // The contract "native/3;onednn=2.6.3;isa=avx512;l1d=32768" names everything in which two
  // machines must agree to give the same bits.
  const UsableCores cores = FindUsableCores();
  std::string usable = absl::StrCat(cores.count, cores.count == 1 ? " core" : " cores");
  if (!cores.limit.empty()) absl::StrAppend(&usable, " because of ", cores.limit);
  return Good("processor",
              absl::StrCat(name, ", ", usable, ": ", absl::StrJoin(contracts, " and ")));
}

Check CheckMemory() {
  const AvailableMemory memory = FindAvailableMemory();
  std::string words = GiB(memory.bytes);
  if (!memory.limit.empty()) absl::StrAppend(&words, " because of ", memory.limit);
  if (memory.bytes >= kLittleMemory) return Good("memory", words);
  return Warning("memory", words, "Give executors less to do at once: --slots 1, --memory");
}

// A master has about 40 threads and one for each connection.
Check CheckThreads() {
  constexpr int64_t kFewThreads = 200;
  const std::optional<ThreadLimit> threads = FindThreadLimit();
  if (!threads) return Good("threads", "no limit is known");
  const int64_t left = std::max<int64_t>(0, threads->limit - threads->used);
  const std::string words = absl::StrCat(left, " more may be started: ", threads->name);
  if (left >= kFewThreads) return Good("threads", words);
  return Warning(
      "threads", words,
      "Raise that limit (ulimit -u, pids.max, TasksMax= of a systemd unit), or end other "
      "processes: a master or an executor has about 40 threads");
}

// Rows that do not fit into memory are written to a temporary file.
Check CheckTemporaryFolder() {
  const auto file = SpillFile::Create(
      "", {.what = "the rows of an import", .remedy = "Set TMPDIR to an existing folder"});
  if (!file.ok()) return Failed("temporary files", file.status());
  std::error_code error;
  return Good("temporary files", std::filesystem::temp_directory_path(error).string());
}

Check CheckWorkingFolder() {
  const auto folder = WorkingFolder();
  return folder.ok() ? Good("working folder", *folder) : Failed("working folder", folder.status());
}

// Limits and the path of the program are read from /proc and /sys.
Check CheckProc() {
  if (access("/proc/self/status", R_OK) != 0)
    return Warning("system files",
                   "/proc is not mounted: limits of memory, processors and "
                   "threads are not known",
                   "Mount /proc (mount -t proc proc /proc)");
  if (access("/sys/fs", R_OK) != 0)
    return Warning("system files", "/sys is not mounted: limits of control groups are not known",
                   "Mount /sys, and the control groups below it");
  return Good("system files", "/proc and /sys are mounted");
}

Check CheckFiles() {
  const int64_t files = RaiseOpenFileLimit();
  if (files >= limits::kLowOpenFileLimit)
    return Good("open files", absl::StrCat(files, " for each process"));
  return Warning("open files",
                 absl::StrCat(files, " for each process: a master takes ", ConnectionsOf(files),
                              " connections with them"),
                 "Raise the hard limit: ulimit -Hn 65536, LimitNOFILE= of a unit, or nofile in "
                 "/etc/security/limits.conf");
}

// Returns the folder, or its nearest existing parent.
std::string NearestFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::absolute(path, error);
  while (!std::filesystem::exists(folder, error) && folder.has_relative_path())
    folder = folder.parent_path();
  return folder.string();
}

std::vector<Check> CheckDisk(const std::string& data_dir) {
  const std::string folder = NearestFolder(data_dir);
  struct statfs system = {};
  if (statfs(folder.c_str(), &system) != 0)
    return {Failed("disk", SystemError(errno, "look at the file system of", folder))};
  const int64_t free_bytes = static_cast<int64_t>(system.f_bavail) * system.f_bsize;
  const std::string words = absl::StrCat(GiB(free_bytes), " free at ", folder);
  std::vector<Check> checks;
  if (free_bytes < limits::kBulkMinFreeBytes) {
    checks.push_back(
        Failed("disk", ResourceExhausted({.message = words + ": a master needs more free space",
                                          .remedy = "Free space there, delete old jobs (dl-submit "
                                                    "delete), or use another --data-dir"})));
  } else if (free_bytes < limits::kLowDiskBytes) {
    checks.push_back(Warning("disk", words,
                             "Checkpoints and data blocks go there: make room, or let the master "
                             "delete old jobs (--keep-jobs)"));
  } else {
    checks.push_back(Good("disk", words));
  }
  const auto type = static_cast<int64_t>(static_cast<uint32_t>(system.f_type));
  if (type == kNfsMagic || type == kSmbMagic || type == kSmb2Magic) {
    checks.push_back(Warning("file system", folder + " is on another machine",
                             "It has to honour locks and fsync, and is slower: a local disk is "
                             "better for a master"));
  }
  return checks;
}

// If a master runs on another machine, compares its beat with the lock that is visible here.
std::vector<Check> CheckLockOfAnotherMachine(const std::string& data_dir) {
  const auto host = launch::FindActiveHost(data_dir, launch::HostName(),
                                           launch::FolderFence::kSilenceTimeout / 2);
  if (!host) return {};
  if (launch::DataFolder::Holder(data_dir)) {
    return {Good("lock", absl::StrCat("a master on ", *host, " has ", data_dir,
                                      ", and its lock is visible here"))};
  }
  return {Failed(
      "lock",
      FailedPrecondition({.message = absl::StrCat("a master on ", *host, " has ", data_dir,
                                                  ", and its lock is not visible here"),
                          .remedy = "Mount the file system with locks between machines, or "
                                    "keep the data folder on a disk of the master's machine"}))};
}

std::vector<Check> CheckKeys(const std::string& data_dir) {
  if (!security::HasMasterCertificate(data_dir)) {
    return {Good("keys",
                 "do not exist: a master of this folder accepts only connections from this machine "
                 "(dl-submit cluster init creates keys)")};
  }
  const security::KeyFiles files = security::KeyFilesIn(data_dir);
  const auto names = security::ReadCertificateNames(files.certificate);
  const auto days = security::ReadCertificateDaysLeft(files.certificate);
  if (!names.ok()) return {Failed("keys", names.status())};
  if (!days.ok()) return {Failed("keys", days.status())};
  const std::string words =
      absl::StrCat("the certificate is for ", absl::StrJoin(*names, ", "), ", ", *days, " days");
  const std::string renew = absl::StrCat("dl-submit cluster init --renew --data-dir ",
                                         ShellWord(data_dir), ", and start the master again");
  if (*days < 0) return {Failed("keys", FailedPrecondition({.message = words, .remedy = renew}))};
  if (*days < kExpiryWarningDays) return {Warning("keys", words, renew)};
  return {Good("keys", words)};
}

Check CheckOwnToken(const std::string& data_dir) {
  const std::string path = launch::TokenFileOf(data_dir);
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    return Good("token", "does not exist yet: the first start of a master creates it");
  const Status status = security::ReadTokenFile(path).status();
  return status.ok() ? Good("token", path) : Failed("token", status);
}

// Checks the default port of a master.
Check CheckPort() {
  constexpr int kPort = 7077;
  const auto owner = rpc::OwnerOfListener(kPort);
  if (!owner) return Good("port", absl::StrCat(kPort, " is free"));
  return Warning("port", absl::StrCat(kPort, " is taken by a process of user ", *owner),
                 "Start the master with another --port, or end that process (ss -ltnp says which)");
}

}  // namespace

std::vector<Check> CheckMachine(const std::string& state_dir) {
  std::vector<Check> checks = {Good("program", absl::StrCat("dl-submit ", launch::kVersion,
                                                            ", protocol ", rpc::kProtocolVersion)),
                               CheckProcessor(),
                               CheckMemory(),
                               CheckThreads(),
                               CheckFiles(),
                               CheckTemporaryFolder(),
                               CheckWorkingFolder(),
                               CheckProc()};
  for (Check& check : CheckDisk(state_dir)) checks.push_back(std::move(check));
  return checks;
}

std::vector<Check> CheckDataFolder(const std::string& data_dir) {
  std::vector<Check> checks;
  std::error_code error;
  const std::string nearest = NearestFolder(data_dir);
  if (access(nearest.c_str(), W_OK | X_OK) != 0) {
    checks.push_back(Failed("data folder", SystemError(errno, "write to", nearest)));
  } else if (!std::filesystem::exists(data_dir, error)) {
    checks.push_back(Good("data folder", data_dir + " does not exist yet, and can be created"));
  } else if (const auto holder = launch::DataFolder::Holder(data_dir)) {
    checks.push_back(Good("data folder", absl::StrCat(data_dir, ", in use by process ", holder->pid,
                                                      " (", holder->command, ")")));
  } else {
    checks.push_back(Good("data folder", data_dir + ", not in use"));
  }
  if (!launch::DataFolder::Holder(data_dir)) checks.push_back(CheckPort());
  for (Check& check : CheckLockOfAnotherMachine(data_dir)) checks.push_back(std::move(check));
  if (!std::filesystem::exists(data_dir, error)) return checks;
  for (Check& check : CheckKeys(data_dir)) checks.push_back(std::move(check));
  checks.push_back(CheckOwnToken(data_dir));
  return checks;
}

}  // namespace dl::cli
