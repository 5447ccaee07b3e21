#include "tests/tidy/seam_rules.h"

#include "gtest/gtest.h"

namespace dl::tidy {
namespace {

size_t Found(const std::string& path, const std::string& code) {
  return CheckSeams({path, code}).size();
}

TEST(Seams, EachBanIsSeen) {
  for (const char* code : {"std::mutex m;",
                           "std::condition_variable c;",
                           "std::unique_lock<Mutex> l(m);",
                           "std :: lock_guard l(m);",
                           "pthread_mutex_t m;",
                           "auto t = std::chrono::steady_clock::now();",
                           "using Clock = std::chrono::system_clock;",
                           "gettimeofday(&t, nullptr);",
                           "x = time(nullptr);",
                           "x = std::time(nullptr);",
                           "x = ::time(0);",
                           "clock_gettime(CLOCK_REALTIME, &t);",
                           "return rand();",
                           "x = 1 + std::rand();",
                           "std::mt19937 g(1);",
                           "std::random_device d;",
                           "pthread_create(&t, nullptr, f, nullptr);",
                           "std::shuffle(a, b, g);",
                           "std::ranges::shuffle(a, g);",
                           "std::this_thread::sleep_for(1s);",
                           "usleep(1);",
                           "nanosleep(&t, nullptr);",
                           "sleep(1);",
                           "{ sleep (1); }",
                           "int fd = socket(AF_INET, 0, 0);",
                           "if (::accept4(fd, a, b, 0)) {}",
                           "if (fork() == 0) {}",
                           "system(command);",
                           "posix_spawn(&pid);",
                           "execv(a, b);"}) {
    EXPECT_EQ(Found("executor/a.cc", code), 1u) << code;
    EXPECT_EQ(Found("tests/sim/a.cc", code), 1u) << code;
  }
}

TEST(Seams, OnlyTheSeamIsExempt) {
  EXPECT_EQ(Found("base/mutex.h", "std::mutex m;"), 0u);
  EXPECT_EQ(Found("base/clock.cc", "std::chrono::steady_clock::now()"), 0u);
  EXPECT_EQ(Found("executor/a.cc", "std::thread t;"), 1u);
  EXPECT_EQ(Found("base/thread.cc", "t = std::thread(f);"), 0u);
  EXPECT_EQ(Found("base/bounded_queue.h", "std::mutex m;"), 1u);
  EXPECT_EQ(Found("rpc/endpoint.cc", "x = socket(1, 2, 3);"), 0u);
  EXPECT_EQ(Found("launch/reexec.cc", "execv(a, b);"), 0u);
  EXPECT_EQ(Found("base/process_exec.cc", "pid = fork();"), 0u);
}

TEST(Seams, JsonOfTheCoreIsInRecords) {
  EXPECT_EQ(Found("master/core/machine/a.cc", "Json json = {{\"a\", 1}};"), 1u);
  EXPECT_EQ(Found("master/core/master_step.h", "void EmitEvent(Job& job, Json event);"), 1u);
  EXPECT_EQ(Found("master/core/job/a.cc", "return JsonText(record);"), 1u);
  EXPECT_EQ(Found("master/core/records/a.cc", "Json json = {{\"a\", 1}};"), 0u);
  EXPECT_EQ(Found("master/gateway/a.cc", "Json json = {{\"a\", 1}};"), 0u);
}

TEST(Seams, SimilarWordsPass) {
  for (const char* code :
       {"// std::mutex and sleep(1)", "/* rand() \n usleep(1) */ int x;",
        "log(\"std::mutex sleep_for\");", "auto s = R\"(steady_clock)\";", "double time = 0;",
        "config.time(3);", "watch->socket(1);", "int64_t time() const;", "Duration time();",
        "net::socket(1);", "Random::rand();", "dl::Mutex m;",
        "int x = 1'000; char c = 's'; bool sleep_forever;", "void Sleep();",
        "std::move(random);"}) {
    EXPECT_EQ(Found("executor/a.cc", code), 0u) << code;
  }
}

TEST(Seams, CommentsAndStringsDoNotHideWhatFollows) {
  EXPECT_EQ(Found("executor/a.cc", "f(\"a\\\"b // \"); usleep(1);"), 1u);
  EXPECT_EQ(Found("executor/a.cc", "f('\"'); usleep(1);"), 1u);
  EXPECT_EQ(Found("executor/a.cc", "f(1'000'000); usleep(1);"), 1u);
  EXPECT_EQ(Found("executor/a.cc", "f(R\"x(\")\" )x\"); usleep(1);"), 1u);
  const Violations found = CheckSeams({"executor/a.cc", "/* 1\n2\n*/ // 3\nusleep(1);\n"});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].line, 4);
}

TEST(Seams, MasterNamesNoCommandOfClient) {
  EXPECT_EQ(Found("master/core/job/a.cc", "\nf(\"List them: dl-submit list\");"), 1u);
  EXPECT_EQ(Found("master/core/a.h", "// as dl-submit does\n"), 1u);
  EXPECT_EQ(Found("master/gateway/a.cc", "f(\"List them: dl-submit list\");"), 1u);
  EXPECT_EQ(Found("rpc/a.cc", "f(\"List them: dl-submit list\");"), 0u);
}

TEST(Seams, LibmStaysOutOfResults) {
  EXPECT_EQ(Found("averaging/a.cc", "x = std::exp(y);"), 1u);
  EXPECT_EQ(Found("nn/conf/schedule.cc", "x = std::cos(y);"), 1u);
  EXPECT_EQ(Found("averaging/a.cc", "x = std::sqrt(y) + portable::Log(y);"), 0u);
  EXPECT_EQ(Found("nn/kernels/a.cc", "x = std::exp(y);"), 0u);
}

}  // namespace
}  // namespace dl::tidy
