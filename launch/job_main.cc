#include "launch/job_main.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/exit_status.h"
#include "base/own_program.h"
#include "job/describe.h"

namespace dl::launch {
namespace {

using Arguments = std::vector<std::string>;

// Returns the path of dl-submit: next to this program, else on the PATH. If neither exists, returns
// the path next to this program.
std::string FindDlSubmit(const std::filesystem::path& beside) {
  const char* path = std::getenv("PATH");
  const std::string folders = absl::StrCat(beside.string(), ":", path == nullptr ? "" : path);
  for (const std::string& folder : std::vector<std::string>(absl::StrSplit(folders, ':'))) {
    const std::string program = absl::StrCat(folder.empty() ? "." : folder, "/dl-submit");
    if (access(program.c_str(), X_OK) == 0) return program;
  }
  return (beside / "dl-submit").string();
}

// Executes the same command line with dl-submit, so that progress, signals and exit codes have one
// implementation.
int RunOnDlSubmit(int argc, char** argv) {
  // If the path of this program is unknown, dl-submit is found only on the PATH.
  const std::filesystem::path self = OwnProgram().value_or(argv[0]);
  Arguments words = {FindDlSubmit(self.parent_path()), "run"};
  words.insert(words.end(), argv + 1, argv + argc);
  if (std::getenv("DL_MASTER") == nullptr) setenv("DL_MASTER", "local[*]", 1);
  // Arguments after "--" belong to this program.
  words.insert(std::find(words.begin(), words.end(), "--"), self.string());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(pointers[0], pointers.data());
  std::cerr << "error: cannot start dl-submit: it is neither beside this program nor on the PATH"
            << "\n  at: " << self.string() << "\n  try: put the folder of dl-submit on the PATH\n";
  return exit_status::kInputOutput;
}

// Calls `make_job` and redirects everything that it prints from standard output to standard error.
template <typename Make>
StatusOr<job::JobSpec> MakeJobWithoutOutput(Make make_job) {
  std::cout.flush();
  std::fflush(stdout);
  const int output = dup(STDOUT_FILENO);
  if (output < 0) return make_job();  // closed: there is nothing to keep clean
  dup2(STDERR_FILENO, STDOUT_FILENO);
  StatusOr<job::JobSpec> spec = make_job();
  std::cout.flush();
  std::fflush(stdout);
  dup2(output, STDOUT_FILENO);
  close(output);
  return spec;
}

template <typename Make>
int PrintJob(Make make_job) {
  const StatusOr<job::JobSpec> spec = MakeJobWithoutOutput(make_job);
  if (!spec.ok()) {
    std::cerr << "error: " << DescribeError(spec.status()) << "\n";
    return exit_status::kInvalidConfig;
  }
  std::cout << job::FormatJob(*spec) << std::flush;
  if (std::cout) return exit_status::kSuccess;
  std::cerr << "error: cannot write the job to standard output: its reader is gone, or its disk "
               "full\n";
  return exit_status::kInputOutput;
}

bool HasPrintJobFlag(int argc, char** argv) {
  return argc > 1 && std::string_view(argv[1]) == "--print-job";
}

}  // namespace

int JobMain(int argc, char** argv, StatusOr<job::JobSpec> (*make_job)(const Arguments&)) {
  if (!HasPrintJobFlag(argc, argv)) return RunOnDlSubmit(argc, argv);
  return PrintJob([&] { return make_job(Arguments(argv + 2, argv + argc)); });
}

int JobMain(int argc, char** argv, StatusOr<job::JobSpec> (*make_job)()) {
  if (!HasPrintJobFlag(argc, argv)) return RunOnDlSubmit(argc, argv);
  return PrintJob([&]() -> StatusOr<job::JobSpec> {
    if (argc == 2) return make_job();
    return InvalidArgument(
        {.message = absl::StrCat("this job takes no arguments, but there is \"", argv[2], "\""),
         .remedy = "Leave out the words after --, or give MakeJob a parameter const "
                   "std::vector<std::string>&"});
  });
}

}  // namespace dl::launch
