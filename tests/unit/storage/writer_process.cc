#include "tests/unit/storage/writer_process.h"

#include <csignal>

#include "gtest/gtest.h"

namespace dl::storage {
namespace {}  // namespace

WriterProcess::WriterProcess(const std::string& kind, const std::string& dir,
                             const std::string& sync) {
  auto child = Spawner::Real().Start(
      {.argv = {STORAGE_WRITER, kind, dir, sync}, .out = ChildOutput::Pipe()});
  if (child.ok()) {
    child_ = *std::move(child);
  } else {
    ADD_FAILURE() << DescribeError(child.status());
  }
}

std::vector<std::string> WriterProcess::KillAfter(size_t lines) {
  std::vector<std::string> seen;
  bool killed = false;
  for (;;) {
    auto line = child_->ReadLine(kTimeout);
    if (!line.ok()) break;
    seen.push_back(*std::move(line));
    if (killed || seen.size() < lines) continue;
    EXPECT_TRUE(child_->Signal(SIGKILL).ok());
    killed = true;  // lines in the pipe were acknowledged too
  }
  EXPECT_TRUE(killed) << "the writer ended by itself";
  Wait();
  return seen;
}

int WriterProcess::Wait() {
  auto status = child_->Wait(kTimeout);
  EXPECT_TRUE(status.ok()) << DescribeError(status.status());
  return status.ok() && status->signal == 0 ? status->code : -1;
}

}  // namespace dl::storage
