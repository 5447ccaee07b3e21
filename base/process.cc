#include "base/process.h"

extern "C" {
#include <sys/pidfd.h>  // glibc 2.36 lacks extern "C" in this header
}

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/bounded_queue.h"
#include "base/process_exec.h"
#include "base/system_error.h"
#include "base/thread.h"

extern char** environ;

namespace dl {
namespace {

constexpr Duration kLongTime = std::chrono::hours(24);

// Waits until `fd` can be read. Returns false if `end` has passed.
bool AwaitReadable(int fd, Instant end) {
  while (true) {
    const Duration left = std::max(end - Clock::Real().Now(), Duration::zero());
    const int64_t ms = std::min<int64_t>((left.count() + 999'999) / 1'000'000, 3'600'000);
    pollfd item = {fd, POLLIN, 0};
    if (poll(&item, 1, static_cast<int>(ms)) > 0) return true;
    if (left == Duration::zero()) return false;
  }
}

class RealChild : public ChildProcess {
 public:
  RealChild(pid_t pid, bool outlives_parent, FileDescriptor pidfd, FileDescriptor out)
      : pid_(pid),
        outlives_parent_(outlives_parent),
        pidfd_(std::move(pidfd)),
        out_(std::move(out)) {}
  ~RealChild() override {
    if (ended_ || outlives_parent_) return;
    kill(-pid_, SIGKILL);  // the process group; the pid is still valid because it is not reaped
    (void)Wait(kLongTime);
  }

  pid_t pid() const override { return pid_; }

  Status Signal(int signal) override {
    if (pidfd_send_signal(pidfd_.get(), signal, nullptr, 0) == 0) return absl::OkStatus();
    return SystemError(errno, absl::StrCat("send signal ", signal), absl::StrCat("process ", pid_));
  }

  StatusOr<ExitStatus> Wait(Duration timeout) override {
    if (ended_) return *ended_;
    if (!AwaitReadable(pidfd_.get(), Clock::Real().Now() + timeout)) {
      return DeadlineExceeded(
          {.message = "the process still runs", .where = absl::StrCat("process ", pid_)});
    }
    siginfo_t info = {};
    while (waitid(P_PID, pid_, &info, WEXITED) != 0) {
      if (errno != EINTR)
        return SystemError(errno, "wait for a process", absl::StrCat("process ", pid_));
    }
    ended_ = info.si_code == CLD_EXITED ? ExitStatus{.code = info.si_status}
                                        : ExitStatus{.signal = info.si_status};
    return *ended_;
  }

  StatusOr<std::string> ReadLine(Duration timeout, int64_t max_bytes) override {
    const Instant end = Clock::Real().Now() + timeout;
    while (true) {
      const size_t newline = pending_.find('\n');
      const size_t length = newline == std::string::npos ? pending_.size() : newline;
      if (static_cast<int64_t>(length) > max_bytes) return TooLong(max_bytes);
      if (newline != std::string::npos) {
        std::string line = pending_.substr(0, newline);
        pending_.erase(0, newline + 1);
        return line;
      }
      DL_ASSIGN_OR_RETURN(const bool more, ReadSome(end));
      if (more) continue;
      if (pending_.empty())
        return MakeError(absl::StatusCode::kOutOfRange, {.message = "the output has ended"});
      return std::exchange(pending_, {});
    }
  }

  StatusOr<std::string> ReadAll(Duration timeout, int64_t max_bytes) override {
    const Instant end = Clock::Real().Now() + timeout;
    while (true) {
      if (static_cast<int64_t>(pending_.size()) > max_bytes) return TooLong(max_bytes);
      DL_ASSIGN_OR_RETURN(const bool more, ReadSome(end));
      if (!more) return std::exchange(pending_, {});
    }
  }

 private:
  Status TooLong(int64_t max_bytes) const {
    return ResourceExhausted(
        {.message = absl::StrCat("the output is longer than ", max_bytes, " bytes"),
         .where = absl::StrCat("process ", pid_)});
  }

  // Returns false at the end of the output.
  StatusOr<bool> ReadSome(Instant end) {
    DL_CHECK(out_.valid());
    if (!AwaitReadable(out_.get(), end)) {
      return DeadlineExceeded({.message = "the process wrote no output within the time limit",
                               .where = absl::StrCat("process ", pid_)});
    }
    char bytes[4096];
    const ssize_t got = read(out_.get(), bytes, sizeof(bytes));
    if (got < 0 && errno == EINTR) return true;
    if (got < 0) return SystemError(errno, "read the output", absl::StrCat("process ", pid_));
    pending_.append(bytes, got);
    return got > 0;
  }

  const pid_t pid_;
  const bool outlives_parent_;
  FileDescriptor pidfd_, out_;
  std::optional<ExitStatus> ended_;
  std::string pending_;
};

StatusOr<std::string> FindProgram(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* path = std::getenv("PATH");
  for (absl::string_view folder : absl::StrSplit(path == nullptr ? "/usr/bin:/bin" : path, ':')) {
    std::string candidate = absl::StrCat(folder.empty() ? "." : folder, "/", name);
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return NotFound({.message = absl::StrCat("no program \"", name, "\" in PATH"), .where = name});
}

std::vector<std::string> MergedEnvironment(const std::vector<std::string>& changes) {
  const auto name = [](std::string_view entry) { return entry.substr(0, entry.find('=')); };
  std::vector<std::string> merged = changes;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const bool replaced =
        std::any_of(changes.begin(), changes.end(),
                    [&](const std::string& change) { return name(change) == name(*entry); });
    if (!replaced) merged.emplace_back(*entry);
  }
  return merged;
}

// Returns a memory file, so that this process need not wait until the child reads it.
StatusOr<FileDescriptor> InputOf(const std::string& text) {
  if (text.empty())
    return internal::AboveStandard(open("/dev/null", O_RDONLY | O_CLOEXEC), "/dev/null");
  DL_ASSIGN_OR_RETURN(FileDescriptor in, internal::AboveStandard(memfd_create("input", MFD_CLOEXEC),
                                                                 "a file in memory"));
  // The text may be a secret, and the child may check that no other user can read the file.
  if (fchmod(in.get(), 0600) != 0 ||
      pwrite(in.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
    return SystemError(errno, "write the input of", "a process");
  return in;
}

StatusOr<FileDescriptor> OpenOutput(const ChildOutput& output) {
  if (output.to == ChildOutput::To::kInherit) return FileDescriptor();
  const bool file = output.to == ChildOutput::To::kFile;
  const std::string path = file ? output.path : "/dev/null";
  return internal::AboveStandard(
      open(path.c_str(), O_WRONLY | O_CLOEXEC | (file ? O_CREAT | O_APPEND : 0), 0644), path);
}

class RealSpawner : public Spawner {
 public:
  RealSpawner() : thread_("spawner", [this] { Run(); }) {}

  StatusOr<std::unique_ptr<ChildProcess>> Start(const SpawnOptions& options) override {
    if (options.argv.empty()) return InvalidArgument({.message = "no program is given to start"});
    if (options.err.to == ChildOutput::To::kPipe)
      return InvalidArgument({.message = "only standard output can be a pipe"});
    internal::ExecPlan plan = {.program = {},
                               .argv = options.argv,
                               .env = MergedEnvironment(options.env),
                               .in = {},
                               .out = {},
                               .err = {},
                               .outlives_parent = options.outlives_parent};
    DL_ASSIGN_OR_RETURN(plan.program, FindProgram(options.argv[0]));
    DL_ASSIGN_OR_RETURN(plan.in, InputOf(options.in));
    FileDescriptor read_end;
    if (options.out.to == ChildOutput::To::kPipe) {
      int ends[2];
      if (pipe2(ends, O_CLOEXEC) != 0) return SystemError(errno, "make a pipe", plan.program);
      StatusOr<FileDescriptor> reading = internal::AboveStandard(ends[0], "a pipe");
      StatusOr<FileDescriptor> writing = internal::AboveStandard(ends[1], "a pipe");
      DL_ASSIGN_OR_RETURN(read_end, std::move(reading));
      DL_ASSIGN_OR_RETURN(plan.out, std::move(writing));
    } else {
      DL_ASSIGN_OR_RETURN(plan.out, OpenOutput(options.out));
    }
    DL_ASSIGN_OR_RETURN(plan.err, OpenOutput(options.err));
    DL_ASSIGN_OR_RETURN(const pid_t pid, OnThread(plan));
    plan.out.Close();  // this process's copy, so that the pipe ends when the child closes its own
    FileDescriptor pidfd(pidfd_open(pid, 0));
    if (!pidfd.valid()) {
      const int error = errno;
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
      return SystemError(error, "watch the process", plan.program);
    }
    return std::make_unique<RealChild>(pid, options.outlives_parent, std::move(pidfd),
                                       std::move(read_end));
  }

 private:
  struct Answer {
    Status status;
    pid_t pid = 0;
  };
  struct Request {
    const internal::ExecPlan* plan;
    BoundedQueue<Answer>* answer;
  };

  // PR_SET_PDEATHSIG depends on the thread that forked, not on its process. So all children are
  // forked by one thread that never ends.
  StatusOr<pid_t> OnThread(const internal::ExecPlan& plan) {
    BoundedQueue<Answer> answers(1);
    DL_RETURN_IF_ERROR(requests_.Push(Request{&plan, &answers}, kLongTime));
    DL_ASSIGN_OR_RETURN(Answer answer, answers.Pop(kLongTime));
    if (!answer.status.ok()) return std::move(answer.status);
    return answer.pid;
  }

  void Run() {
    while (true) {
      StatusOr<Request> request = requests_.Pop(kLongTime);
      if (!request.ok()) continue;
      StatusOr<pid_t> pid = internal::ForkAndExec(*request->plan);
      Answer answer{.pid = pid.ok() ? *pid : 0};
      answer.status = std::move(pid).status();
      (void)request->answer->Push(std::move(answer), kLongTime);
    }
  }

  BoundedQueue<Request> requests_{16};
  Thread thread_;
};

}  // namespace

std::string ToString(ExitStatus status) {
  return status.signal != 0 ? absl::StrCat("was killed by signal ", status.signal)
                            : absl::StrCat("exited with ", status.code);
}

Spawner& Spawner::Real() {
  static Spawner* const spawner =
      new RealSpawner;  // never destroyed: its thread must outlive every child
  return *spawner;
}

}  // namespace dl
