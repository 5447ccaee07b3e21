#include "launch/job_main.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "job/describe.h"

namespace dl::launch {
namespace {

// The same command line through dl-submit beside this program: one implementation of progress,
// signals and exit codes.
int RunOnDlSubmit(int argc, char** argv) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string submit = (self.parent_path() / "dl-submit").string();
  std::vector<std::string> words = {submit, "run"};
  for (int i = 1; i < argc; ++i) words.push_back(argv[i]);
  if (std::getenv("DL_MASTER") == nullptr) setenv("DL_MASTER", "local[*]", 1);
  words.push_back(self.string());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(submit.c_str(), pointers.data());
  std::cerr << "error: cannot start " << submit
            << "\n  try: keep job programs beside dl-submit, or run them with it\n";
  return 74;
}

}  // namespace

int JobMain(int argc, char** argv, StatusOr<job::JobSpec> (*make_job)()) {
  const bool print = argc == 2 && std::string_view(argv[1]) == "--print-job";
  if (!print) return RunOnDlSubmit(argc, argv);
  StatusOr<job::JobSpec> spec = make_job();
  if (!spec.ok()) {
    std::cerr << "error: " << DescribeError(spec.status()) << "\n";
    return 78;
  }
  std::cout << job::PrintJob(*spec) << std::flush;
  if (std::cout) return 0;
  std::cerr << "error: cannot write the job to standard output: its reader is gone, or its disk "
               "full\n";
  return 74;
}

}  // namespace dl::launch
