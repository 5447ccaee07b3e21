#include "cli/jobs/interrupted_job.h"

#include "base/json.h"
#include "gtest/gtest.h"

namespace dl::cli {
namespace {

std::string StateOf(const char* state) {
  Session session;
  session.target = launch::Target::Local(1);
  Json job = {{"job", "a-1"}, {"state", state}};
  MarkInterrupted(session, job);
  return job["state"];
}

TEST(InterruptedJob, OnlyJobsThatWouldBeComputedAreInterrupted) {
  for (const char* state : {"QUEUED", "STARTING", "RUNNING", "RECOVERING", "WAITING"})
    EXPECT_EQ(StateOf(state), "INTERRUPTED") << state;
  for (const char* state : {"PAUSED", "SUCCEEDED", "FAILED", "CANCELLED", "REJECTED"})
    EXPECT_EQ(StateOf(state), state);
}

}  // namespace
}  // namespace dl::cli
