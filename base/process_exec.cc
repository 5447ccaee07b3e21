#include "base/process_exec.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "base/system_error.h"
#include "base/thread_limit.h"

namespace dl::internal {
namespace {

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& text : strings) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

struct ChildStart {
  const char* program;
  char* const* argv;
  char* const* env;
  int in, out, err;
  int report;  // receives an errno if the start fails
  pid_t parent;
  bool outlives_parent;
};

[[noreturn]] void Fail(int report) {
  const int error = errno;
  (void)!write(report, &error, sizeof(error));
  _exit(127);
}

// Makes only async-signal-safe calls. All descriptors are above 2, so no dup2 overwrites one that
// is still needed.
[[noreturn]] void RunChild(const ChildStart& start) {
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) sigaction(signal, &standard, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (start.outlives_parent) {
    if (setsid() < 0) Fail(start.report);
  } else {
    setpgid(0, 0);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) Fail(start.report);
    if (getppid() != start.parent) _exit(127);  // the parent died before the prctl call
  }
  if (dup2(start.in, 0) < 0) Fail(start.report);
  if (start.out >= 0 && dup2(start.out, 1) < 0) Fail(start.report);
  if (start.err >= 0 && dup2(start.err, 2) < 0) Fail(start.report);
  if (close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) != 0) Fail(start.report);
  execve(start.program, start.argv, start.env);
  Fail(start.report);
}

}  // namespace

StatusOr<FileDescriptor> AboveStandard(int fd, const std::string& what) {
  if (fd < 0) return SystemError(errno, "open", what);
  if (fd > 2) return FileDescriptor(fd);
  FileDescriptor low(fd);
  const int high = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  if (high < 0) return SystemError(errno, "duplicate the descriptor of", what);
  return FileDescriptor(high);
}

StatusOr<pid_t> ForkAndExec(const ExecPlan& plan) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return SystemError(errno, "make a pipe", plan.program);
  // Both, so that an error leaves no descriptor open.
  StatusOr<FileDescriptor> reading = AboveStandard(ends[0], "a pipe");
  StatusOr<FileDescriptor> writing = AboveStandard(ends[1], "a pipe");
  DL_RETURN_IF_ERROR(reading.status());
  DL_RETURN_IF_ERROR(writing.status());
  FileDescriptor read_end = *std::move(reading), write_end = *std::move(writing);
  const std::vector<char*> argv = Pointers(plan.argv), env = Pointers(plan.env);
  const ChildStart start = {.program = plan.program.c_str(),
                            .argv = argv.data(),
                            .env = env.data(),
                            .in = plan.in.get(),
                            .out = plan.out.get(),
                            .err = plan.err.get(),
                            .report = write_end.get(),
                            .parent = getpid(),
                            .outlives_parent = plan.outlives_parent};
  const pid_t pid = fork();
  if (pid < 0) return CannotStart(errno, absl::StrCat("the program ", plan.program));
  if (pid == 0) RunChild(start);
  write_end.Close();
  int error = 0;
  ssize_t got;
  do got = read(read_end.get(), &error, sizeof(error));
  while (got < 0 && errno == EINTR);
  if (got == 0) return pid;  // exec closed the pipe
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  return SystemError(got == sizeof(error) ? error : EIO, "execute the program", plan.program);
}

}  // namespace dl::internal
