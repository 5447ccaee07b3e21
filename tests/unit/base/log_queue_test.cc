#include "base/log_queue.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <regex>

#include "absl/strings/str_cat.h"
#include "base/file_descriptor.h"
#include "base/process.h"
#include "gmock/gmock.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl {
namespace {

using testing::ElementsAre;

constexpr Duration kLogFlushTimeout = std::chrono::minutes(10);

// A log whose writes wait until the test opens it.
class ClosedLog {
 public:
  void Write(const std::string& line) {
    MutexLock lock(mutex_);
    is_waiting_ = true;
    changed_.NotifyAll();
    while (!open_) changed_.Wait(mutex_);
    lines_.push_back(line);
  }
  void WaitForWrite() {
    MutexLock lock(mutex_);
    while (!is_waiting_) changed_.Wait(mutex_);
  }
  void Open() {
    MutexLock lock(mutex_);
    open_ = true;
    changed_.NotifyAll();
  }
  std::vector<std::string> lines() {
    MutexLock lock(mutex_);
    return lines_;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  bool open_ DL_GUARDED_BY(mutex_) = false, is_waiting_ DL_GUARDED_BY(mutex_) = false;
  std::vector<std::string> lines_ DL_GUARDED_BY(mutex_);
};

TEST(LogQueue, LinesThatFindNoRoomAreDroppedAndCounted) {
  ClosedLog log;
  auto queue = LogQueue::Start(
      {.write = [&](const std::string& line) { log.Write(line); },
       .on_dropped = [&](int64_t lines) { log.Write(absl::StrCat(lines, " lost")); },
       .max_bytes = 8});
  DL_ASSERT_OK(queue);
  (*queue)->Push("first");
  log.WaitForWrite();  // the thread waits with the first line, and nothing is in the queue
  for (const char* line : {"aaaa", "bbbb", "c", "d"}) (*queue)->Push(line);
  EXPECT_FALSE((*queue)->Flush(Duration::zero()));
  log.Open();
  EXPECT_TRUE((*queue)->Flush(kLogFlushTimeout));
  EXPECT_THAT(log.lines(), ElementsAre("first", "aaaa", "bbbb", "2 lost"));
  (*queue)->Push("eeee");
  *queue = nullptr;
  EXPECT_EQ(log.lines().back(), "eeee") << "the destructor writes what waits";
}

// The log is a pipe that is full. A process logs 3 MiB and continues. When the pipe is read, the
// lines that arrive, and the number in the line about the others, add up.
TEST(LogThread, FullPipeDoesNotHoldUpTheProcess) {
  const test::TempFolder folder;
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const FileDescriptor reader(open(pipe.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  ASSERT_TRUE(reader.valid());
  while (write(reader.get(), "x", 1) == 1) continue;
  auto child = Spawner::Real().Start(
      {.argv = {std::string(std::getenv("DL_BIN")) + "/base_test_child", "log-thread"},
       .out = ChildOutput::Pipe(),
       .err = ChildOutput::File(pipe)});
  DL_ASSERT_OK(child);
  ASSERT_EQ((*child)->ReadLine(kLogFlushTimeout).value_or(""), "logged");
  std::string text;
  // The pipe is read once more after the end of the process.
  for (StatusOr<ExitStatus> ended = Unavailable({}); !ended.ok();) {
    ended = (*child)->Wait(std::chrono::milliseconds(1));
    std::string piece(1 << 16, '\0');
    for (ssize_t size = 1; size > 0;) {
      size = read(reader.get(), piece.data(), piece.size());
      if (size > 0) text.append(piece, 0, static_cast<size_t>(size));
    }
    if (ended.ok()) {
      EXPECT_EQ(*ended, ExitStatus{});
    }
  }
  const std::regex report(R"((\d+) lines of the log were dropped)");
  int64_t dropped = 0, reports = 0;
  for (std::sregex_iterator found(text.begin(), text.end(), report), end; found != end; ++found) {
    dropped += std::stoll((*found)[1]);
    ++reports;
  }
  EXPECT_GT(dropped, 0);
  EXPECT_EQ(std::ranges::count(text, '\n') - reports + dropped, 3072);
}

}  // namespace
}  // namespace dl
