#include "base/own_program.h"

#include <sys/auxv.h>

#include <filesystem>
#include <system_error>

#include "base/system_error.h"

namespace dl {

StatusOr<std::string> OwnProgram() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) return program.string();
  const int without_proc = error.value();
  // The kernel provides the name that was passed to execve.
  if (const auto* name = reinterpret_cast<const char*>(getauxval(AT_EXECFN)); name != nullptr) {
    const std::filesystem::path found = std::filesystem::canonical(name, error);
    if (!error) return found.string();
  }
  return WithRemedy(
      CreationError(without_proc, "find the program of this process", "/proc/self/exe"),
      "Mount /proc, or start the program by its absolute path");
}

StatusOr<std::string> WorkingFolder() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::current_path(error);
  if (!error) return folder.string();
  return WithRemedy(CreationError(error.value(), "find the folder where the command runs", "."),
                    "Change to a folder that exists (cd), and start the command again");
}

}  // namespace dl
