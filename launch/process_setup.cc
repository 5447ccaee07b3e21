#include "launch/process_setup.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

#include "nn/kernel_contract.h"

namespace dl::launch {

void ReserveStandardDescriptors() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    // The lowest free number is taken: those below are open by now. Read-only, so writing fails.
    if (fcntl(fd, F_GETFD) < 0) (void)open("/dev/null", O_RDONLY);
  }
}

void ReexecWithPassiveOpenMp(char** argv) {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr) return;
  setenv("OMP_WAIT_POLICY", "passive", 1);
  execv("/proc/self/exe", argv);
}

StatusOr<std::string> FixIsa(const std::string& isa, std::string& contract) {
  nn::Isa level{};
  if (isa.empty()) {
    DL_ASSIGN_OR_RETURN(level, nn::DetectBestIsa());
  } else {
    DL_ASSIGN_OR_RETURN(level, nn::IsaFromName(isa));
  }
  DL_RETURN_IF_ERROR(nn::SetProcessIsa(level));
  contract = nn::KernelContractId(level);
  return std::string(nn::IsaName(level));
}

}  // namespace dl::launch
