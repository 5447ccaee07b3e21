#include "launch/process_setup.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "base/limits.h"
#include "base/own_program.h"
#include "base/system_error.h"
#include "base/usable_cores.h"
#include "nn/kernel_contract.h"

namespace dl::launch {
namespace {

// How often a waiting OpenMP thread looks for work before it sleeps.
constexpr char kSpinCount[] = "GOMP_SPINCOUNT";
constexpr char kShortSpin[] = "10000";

// Executes the program by its path, because `ps` and `top` show the last part of the path. If the
// file was replaced, the path no longer exists and /proc/self/exe is used.
void ExecuteOwnProgram(char* const* argv) {
  if (const auto program = OwnProgram(); program.ok()) execv(program->c_str(), argv);
  execv("/proc/self/exe", argv);
}

// An empty variable counts as unset.
bool IsSet(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

}  // namespace

void ReserveStandardDescriptors() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    // open() returns the lowest free number, which is `fd` because all lower ones are open. The
    // descriptor is read-only, so writing to it fails.
    if (fcntl(fd, F_GETFD) < 0) (void)open("/dev/null", O_RDONLY);
  }
}

void ReexecWithPassiveOpenMp(char** argv) {
  if (IsSet("OMP_WAIT_POLICY")) return;
  setenv("OMP_WAIT_POLICY", "passive", 1);
  if (FindUsableCores().count > 1 && !IsSet(kSpinCount)) setenv(kSpinCount, kShortSpin, 1);
  ExecuteOwnProgram(argv);
}

std::vector<std::string> OpenMpSettingsOf(int64_t processes) {
  const bool by_user = IsSet(kSpinCount) && std::string_view(std::getenv(kSpinCount)) != kShortSpin;
  if (by_user || 2 * processes <= FindUsableCores().count) return {};
  return {absl::StrCat(kSpinCount, "=0")};
}

StatusOr<std::vector<std::string>> OwnArguments() {
  DL_ASSIGN_OR_RETURN(const std::string line,
                      ReadFile("/proc/self/cmdline", limits::kMaxHolderBytes));
  std::vector<std::string> words;
  for (size_t word = 0; word < line.size(); word = line.find('\0', word) + 1)
    words.emplace_back(line.c_str() + word);
  return words;
}

Status ReexecProcess() {
  DL_ASSIGN_OR_RETURN(std::vector<std::string> words, OwnArguments());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere >= 0) (void)dup2(nowhere, STDOUT_FILENO);
  // Locks and connections end when their descriptors are closed.
  if (close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC) != 0)
    return SystemError(errno, "close what is open in", "this process");
  ExecuteOwnProgram(argv.data());
  return SystemError(errno, "execute", argv[0]);
}

StatusOr<std::vector<rpc::OfferedContract>> FixIsa(const std::string& isa) {
  nn::Isa level{};
  if (isa.empty()) {
    DL_ASSIGN_OR_RETURN(level, nn::DetectBestIsa());
  } else {
    DL_ASSIGN_OR_RETURN(level, nn::IsaFromName(isa));
  }
  DL_RETURN_IF_ERROR(nn::SetProcessIsa(level));
  std::vector<rpc::OfferedContract> offered;
  for (const nn::Isa one : nn::ContractIsas(level))
    offered.push_back({nn::KernelContractId(one), std::string(nn::IsaName(one))});
  offered.push_back({nn::PortableContract(), ""});
  return offered;
}

}  // namespace dl::launch
