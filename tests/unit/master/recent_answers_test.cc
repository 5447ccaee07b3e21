#include "master/gateway/recent_answers.h"

#include <atomic>
#include <deque>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/mutex.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace dl::master {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::IsError;

constexpr Duration kLong = seconds(60);

class HandClock final : public Clock {
 public:
  Instant Now() const override { return {ns_}; }
  int64_t WallUnixMs() const override { return 0; }
  void Pass(Duration d) { ns_ += d.count(); }

 private:
  std::atomic<int64_t> ns_ = seconds(1000) / std::chrono::nanoseconds(1);
};

class RecentAnswersTest : public testing::Test {
 protected:
  ~RecentAnswersTest() override { Open(); }

  StatusOr<rpc::QueryReply> Asked(const rpc::QueryRequest& request) {
    MutexLock lock(mutex_);
    const int number = ++asked_;
    changed_.NotifyAll();
    while (closed_) changed_.Wait(mutex_);
    DL_RETURN_IF_ERROR(error_);
    return rpc::QueryReply{.json = absl::StrCat("job", request.job, " ", number)};
  }
  // Questions block from now on.
  void Close() {
    MutexLock lock(mutex_);
    closed_ = true;
  }
  void Open(Status error = absl::OkStatus()) {
    MutexLock lock(mutex_);
    closed_ = false;
    error_ = std::move(error);
    changed_.NotifyAll();
  }
  void WaitUntilAsked(int times) {
    MutexLock lock(mutex_);
    while (asked_ < times) changed_.Wait(mutex_);
  }
  int asked() {
    MutexLock lock(mutex_);
    return asked_;
  }
  // Returns the answer for a client that accepts any age.
  std::string Poll(const std::string& job = "") {
    const auto reply =
        recent_.Get({.what = rpc::QueryKind::kJob, .job = job, .max_age_ms = 3'600'000}, kLong);
    DL_EXPECT_OK(reply);
    return reply.ok() ? reply->json : "";
  }
  // Polls until the answer changes.
  std::string PollUntilNot(const std::string& old) {
    for (;;) {
      if (const std::string now = Poll(); now != old) return now;
    }
  }

  Mutex mutex_;
  CondVar changed_;
  int asked_ = 0;
  bool closed_ = false;
  Status error_;
  HandClock clock_;
  RecentAnswers recent_{
      [this](const rpc::QueryRequest& request, Duration) { return Asked(request); }, clock_};
};

TEST_F(RecentAnswersTest, RecentAnswerIsReused) {
  EXPECT_EQ(Poll(), "job 1");
  clock_.Pass(milliseconds(100));
  EXPECT_EQ(Poll(), "job 1");
  EXPECT_EQ(Poll("j"), "jobj 2");  // another question
  EXPECT_EQ(asked(), 2);
}

// The disk blocks: clients that poll get the known answer, with its growing age.
TEST_F(RecentAnswersTest, PollNeverWaits) {
  EXPECT_EQ(Poll(), "job 1");
  Close();
  clock_.Pass(seconds(1));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(Poll(), "job 1");
  WaitUntilAsked(2);
  clock_.Pass(seconds(2));
  const auto old = recent_.Get({.what = rpc::QueryKind::kJob, .max_age_ms = 3'000}, kLong);
  DL_ASSERT_OK(old);
  EXPECT_EQ(old->json, "job 1");
  EXPECT_EQ(old->age_ms, 3'000);
  EXPECT_EQ(asked(), 2);  // once for all polls
  Open();
  EXPECT_EQ(PollUntilNot("job 1"), "job 2");
}

TEST_F(RecentAnswersTest, AnswerOverMaxAgeIsNotReturned) {
  EXPECT_EQ(Poll(), "job 1");
  clock_.Pass(milliseconds(200));  // young enough for clients that accept any age
  const auto now = recent_.Get({.what = rpc::QueryKind::kJob, .max_age_ms = 199}, kLong);
  DL_ASSERT_OK(now);
  EXPECT_EQ(now->json, "job 2");
  EXPECT_EQ(now->age_ms, 0);
  EXPECT_EQ(Poll(), "job 2");
}

TEST_F(RecentAnswersTest, DeletedJobIsNotReturned) {
  EXPECT_EQ(Poll(), "job 1");
  clock_.Pass(seconds(1));
  Close();
  EXPECT_EQ(Poll(), "job 1");
  WaitUntilAsked(2);
  Open(NotFound({.message = "deleted"}));
  for (;;) {  // until the deletion is known
    const auto reply = recent_.Get({.what = rpc::QueryKind::kJob, .max_age_ms = 3'600'000}, kLong);
    if (reply.ok()) continue;
    EXPECT_THAT(reply, IsError(absl::StatusCode::kNotFound, "deleted"));
    break;
  }
}

// A failure to get an answer does not invalidate the previous one.
TEST_F(RecentAnswersTest, BusyMasterReturnsKnownAnswer) {
  EXPECT_EQ(Poll(), "job 1");
  Open(Unavailable({.message = "too many wait"}));
  for (int times = 2; times < 5; ++times) {
    clock_.Pass(seconds(1));
    while (asked() < times) EXPECT_EQ(Poll(), "job 1");
  }
  EXPECT_THAT(recent_.Get({.what = rpc::QueryKind::kJob, .max_age_ms = 500}, kLong),
              IsError(absl::StatusCode::kUnavailable, "too many"));
  Open();
  EXPECT_NE(PollUntilNot("job 1"), "job 1");
}

TEST_F(RecentAnswersTest, UnpolledAnswerIsForgotten) {
  EXPECT_EQ(Poll("a"), "joba 1");
  clock_.Pass(seconds(61));
  EXPECT_EQ(Poll("b"), "jobb 2");
  const auto again =
      recent_.Get({.what = rpc::QueryKind::kJob, .job = "a", .max_age_ms = 3'600'000}, kLong);
  DL_ASSERT_OK(again);
  EXPECT_EQ(again->json, "joba 3");
}

TEST_F(RecentAnswersTest, NumberOfAnswersIsLimited) {
  for (int i = 0; i < 1'500; ++i) {
    Poll(absl::StrCat(i));
    clock_.Pass(milliseconds(1));
  }
  EXPECT_EQ(Poll("1499"), "job1499 1500");  // still cached
  EXPECT_EQ(Poll("0"), "job0 1501");        // dropped, so it was asked again
}

}  // namespace
}  // namespace dl::master
