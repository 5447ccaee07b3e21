#include "tests/unit/storage/writer_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "gtest/gtest.h"

extern char** environ;

namespace dl::storage {

WriterProcess::WriterProcess(const std::string& kind, const std::string& dir,
                             const std::string& sync) {
  int ends[2];
  EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
  out_ = ends[0];
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::vector<std::string> words = {STORAGE_WRITER, kind, dir, sync};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  EXPECT_EQ(posix_spawn(&pid_, STORAGE_WRITER, &actions, nullptr, argv.data(), environ), 0);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
}

WriterProcess::~WriterProcess() {
  close(out_);
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

std::vector<std::string> WriterProcess::KillAfter(size_t lines) {
  std::string text;
  bool killed = false;
  char buffer[4096];
  for (ssize_t got; (got = read(out_, buffer, sizeof(buffer))) > 0;) {
    text.append(buffer, got);
    if (killed || static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) < lines) continue;
    kill(pid_, SIGKILL);
    killed = true;  // what is in the pipe was acknowledged too
  }
  EXPECT_TRUE(killed) << "the writer ended by itself";
  Wait();
  std::vector<std::string> whole;
  for (size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
    whole.push_back(text.substr(at, end - at));
  return whole;
}

int WriterProcess::Wait() {
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace dl::storage
