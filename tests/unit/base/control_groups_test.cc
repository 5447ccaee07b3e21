// Limits of control groups, read from fake trees: version 1, version 2, and the view inside
// containers.
#include "base/control_groups.h"

#include "base/machine_memory.h"
#include "base/usable_cores.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/fake_system.h"

namespace dl {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int64_t kMiB = 1 << 20;
constexpr char kV2[] = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n";

std::string Bytes(int64_t mebibytes) { return std::to_string(mebibytes * kMiB) + "\n"; }

// A Slurm job: the limit is two levels above the process.
class UnifiedGroups : public testing::Test {
 protected:
  UnifiedGroups() {
    system_.Write("/proc/self/cgroup", "0::/slurm/job_7/step_0\n");
    system_.Write("/proc/self/mountinfo", kV2);
    system_.Write("/proc/self/status", "Name:\ttest\nRssAnon:\t    2048 kB\n");
    system_.Write("/sys/fs/cgroup/slurm/job_7/step_0/memory.max", "max\n");
    system_.Write("/sys/fs/cgroup/slurm/job_7/memory.max", Bytes(500));
    system_.Write("/sys/fs/cgroup/slurm/memory.max", Bytes(900));
  }
  test::FakeSystem system_;
};

TEST_F(UnifiedGroups, LeastMemoryLimitOnTheWayToTheRootCounts) {
  const ControlGroupLimits limits = ReadControlGroups(system_.root());
  ASSERT_THAT(limits.memory, SizeIs(2));
  EXPECT_EQ(limits.memory[0].limit, 500 * kMiB);
  EXPECT_EQ(limits.memory[1].limit, 900 * kMiB);
  const AvailableMemory memory = FindAvailableMemory(system_.root());
  EXPECT_EQ(memory.bytes, 500 * kMiB);
  EXPECT_THAT(memory.limit, HasSubstr("the memory limit of 500 MiB ("));
  EXPECT_THAT(memory.limit, HasSubstr("/sys/fs/cgroup/slurm/job_7/memory.max)"));
}

TEST_F(UnifiedGroups, MemoryOfOtherProcessesInTheGroupIsTakenOff) {
  system_.Write("/sys/fs/cgroup/slurm/job_7/memory.current", Bytes(302));
  system_.Write("/sys/fs/cgroup/slurm/job_7/memory.stat",
                "anon 1\ninactive_file " + Bytes(60) + "active_file " + Bytes(40));
  // 202 MiB without the page cache, of which this process uses 2 MiB.
  const AvailableMemory memory = FindAvailableMemory(system_.root());
  EXPECT_EQ(memory.bytes, 300 * kMiB);
  EXPECT_THAT(memory.limit, EndsWith("of which other processes use 200 MiB"));
}

TEST_F(UnifiedGroups, MemoryThatIsThrottledIsALimitToo) {
  system_.Write("/sys/fs/cgroup/slurm/job_7/step_0/memory.high", Bytes(300));
  EXPECT_EQ(FindAvailableMemory(system_.root()).bytes, 300 * kMiB);
}

TEST_F(UnifiedGroups, SmallestOfAllLimitsOfMemoryCounts) {
  system_.Write("/sys/fs/cgroup/slurm/memory.high", Bytes(400));
  system_.Write("/sys/fs/cgroup/slurm/job_7/memory.high", "max\n");
  system_.Write("/sys/fs/cgroup/slurm/job_7/step_0/memory.high", Bytes(450));
  const AvailableMemory memory = FindAvailableMemory(system_.root());
  EXPECT_EQ(memory.bytes, 400 * kMiB);
  EXPECT_THAT(memory.limit, HasSubstr("/sys/fs/cgroup/slurm/memory.high)"));
  // Others in the group of the larger limit use more of it.
  system_.Write("/sys/fs/cgroup/slurm/job_7/step_0/memory.current", Bytes(202));
  const AvailableMemory shared = FindAvailableMemory(system_.root());
  EXPECT_EQ(shared.bytes, 250 * kMiB);
  EXPECT_THAT(shared.limit, HasSubstr("450 MiB ("));
  EXPECT_THAT(shared.limit, EndsWith("of which other processes use 200 MiB"));
}

TEST_F(UnifiedGroups, ReachedThrottleIsFound) {
  const std::string group = "/sys/fs/cgroup/slurm/job_7/step_0/";
  EXPECT_EQ(FindThrottlingLimit(system_.root()), "");
  system_.Write(group + "memory.high", Bytes(300));
  system_.Write(group + "memory.current", Bytes(299));
  system_.Write(group + "memory.stat", "inactive_file " + Bytes(100) + "active_file " + Bytes(4));
  EXPECT_EQ(FindThrottlingLimit(system_.root()), "") << "the page cache slows nothing down";
  system_.Write(group + "memory.stat", "inactive_file " + Bytes(1) + "active_file " + Bytes(0));
  EXPECT_THAT(FindThrottlingLimit(system_.root()), HasSubstr("the memory limit of 300 MiB ("));
  EXPECT_THAT(FindThrottlingLimit(system_.root()),
              EndsWith("/step_0/memory.high), of which 298 MiB are used"));
  system_.Write(group + "memory.high", "max\n");
  system_.Write(group + "memory.max", Bytes(300));
  EXPECT_EQ(FindThrottlingLimit(system_.root()), "") << "at this limit processes are killed";
}

TEST_F(UnifiedGroups, QuotaAndProcessesAreReadAtEveryLevel) {
  system_.Write("/sys/fs/cgroup/slurm/job_7/step_0/cpu.max", "max 100000\n");
  system_.Write("/sys/fs/cgroup/slurm/job_7/cpu.max", "50000 100000\n");
  system_.Write("/sys/fs/cgroup/slurm/pids.max", "64\n");
  system_.Write("/sys/fs/cgroup/slurm/pids.current", "60\n");
  const ControlGroupLimits limits = ReadControlGroups(system_.root());
  ASSERT_TRUE(limits.quota.has_value());
  EXPECT_DOUBLE_EQ(limits.quota->processors, 0.5);
  ASSERT_THAT(limits.processes, SizeIs(1));
  EXPECT_EQ(limits.processes[0].limit, 64);
  EXPECT_EQ(limits.processes[0].used, 60);
  const UsableCores cores = FindUsableCores(system_.root());
  EXPECT_EQ(cores.count, 1);
  if (FindUsableCores().count > 1) {
    EXPECT_THAT(cores.limit, HasSubstr("the CPU quota of 0.5 processors"));
  }
}

TEST_F(UnifiedGroups, QuotaIsRoundedUp) {
  system_.Write("/sys/fs/cgroup/slurm/cpu.max", "110000 100000\n");
  EXPECT_EQ(FindUsableCores(system_.root()).count, std::min(2, FindUsableCores().count));
}

TEST_F(UnifiedGroups, KillsForMemoryAreCounted) {
  EXPECT_EQ(FindMemoryKillCounter(system_.root()), "");
  system_.Write("/sys/fs/cgroup/slurm/job_7/step_0/memory.events", "oom 4\noom_kill 3\n");
  EXPECT_EQ(CountMemoryKills(FindMemoryKillCounter(system_.root())), 3);
  EXPECT_EQ(CountMemoryKills(system_.root() + "/nowhere"), 0);
}

class SplitGroups : public testing::Test {
 protected:
  SplitGroups() {
    system_.Write("/proc/self/cgroup", "4:memory:/batch/a\n3:cpu,cpuacct:/batch\n2:pids:/\n0::/\n");
    system_.Write("/proc/self/mountinfo",
                  "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
                  "32 31 0:29 / /sys/fs/cgroup/cpu\\040time rw - cgroup cgroup rw,cpu,cpuacct\n"
                  "39 31 0:36 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"
                  "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  }
  test::FakeSystem system_;
};

TEST_F(SplitGroups, EachControllerHasAHierarchyOfItsOwn) {
  system_.Write("/sys/fs/cgroup/memory/batch/a/memory.limit_in_bytes", "9223372036854771712\n");
  system_.Write("/sys/fs/cgroup/memory/batch/memory.limit_in_bytes", Bytes(500));
  system_.Write("/sys/fs/cgroup/cpu time/batch/cpu.cfs_quota_us", "150000\n");
  system_.Write("/sys/fs/cgroup/cpu time/batch/cpu.cfs_period_us", "100000\n");
  system_.Write("/sys/fs/cgroup/pids/pids.max", "max\n");
  system_.Write("/sys/fs/cgroup/memory/batch/a/memory.oom_control",
                "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
  const ControlGroupLimits limits = ReadControlGroups(system_.root());
  ASSERT_THAT(limits.memory, SizeIs(1));
  EXPECT_EQ(limits.memory[0].limit, 500 * kMiB);
  ASSERT_TRUE(limits.quota.has_value());
  EXPECT_DOUBLE_EQ(limits.quota->processors, 1.5);
  EXPECT_THAT(limits.processes, IsEmpty());
  EXPECT_EQ(CountMemoryKills(FindMemoryKillCounter(system_.root())), 2);
}

TEST_F(SplitGroups, LimitsOfBothVersionsCount) {
  system_.Write("/sys/fs/cgroup/memory/batch/memory.limit_in_bytes", Bytes(500));
  system_.Write("/sys/fs/cgroup/unified/memory.high", Bytes(400));
  system_.Write("/sys/fs/cgroup/unified/memory.max", Bytes(450));
  EXPECT_EQ(FindAvailableMemory(system_.root()).bytes, 400 * kMiB);
  system_.Write("/sys/fs/cgroup/memory/batch/a/memory.limit_in_bytes", Bytes(300));
  EXPECT_EQ(FindAvailableMemory(system_.root()).bytes, 300 * kMiB);
}

TEST_F(SplitGroups, NoQuotaIsMinusOne) {
  system_.Write("/sys/fs/cgroup/cpu time/batch/cpu.cfs_quota_us", "-1\n");
  system_.Write("/sys/fs/cgroup/cpu time/batch/cpu.cfs_period_us", "100000\n");
  EXPECT_FALSE(ReadControlGroups(system_.root()).quota.has_value());
}

TEST_F(SplitGroups, LimitAboveTheVisiblePartIsSeen) {
  system_.Write("/sys/fs/cgroup/memory/batch/a/memory.limit_in_bytes", Bytes(800));
  system_.Write("/sys/fs/cgroup/memory/batch/a/memory.stat",
                "cache 0\nhierarchical_memory_limit " + Bytes(500));
  const AvailableMemory memory = FindAvailableMemory(system_.root());
  EXPECT_EQ(memory.bytes, 500 * kMiB);
  EXPECT_THAT(memory.limit, HasSubstr("memory.stat"));
}

TEST(ControlGroups, ContainerSeesAPartOfTheHierarchy) {
  const test::FakeSystem system;
  system.Write("/proc/self/cgroup", "0::/docker/abc/inner\n");
  system.Write("/proc/self/mountinfo",
               "30 23 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
  system.Write("/sys/fs/cgroup/inner/memory.max", "max\n");
  system.Write("/sys/fs/cgroup/memory.max", Bytes(500));
  EXPECT_EQ(FindAvailableMemory(system.root()).bytes, 500 * kMiB);
}

TEST(ControlGroups, GroupOutsideOfTheVisiblePartHasTheLimitsOfItsRoot) {
  const test::FakeSystem system;
  system.Write("/proc/self/cgroup", "0::/../../other\n");
  system.Write("/proc/self/mountinfo", kV2);
  system.Write("/sys/fs/cgroup/memory.max", Bytes(500));
  EXPECT_EQ(FindAvailableMemory(system.root()).bytes, 500 * kMiB);
}

TEST(ControlGroups, WithoutProcNoLimitIsSeen) {
  const test::FakeSystem system;
  EXPECT_THAT(ReadControlGroups(system.root()).memory, IsEmpty());
  EXPECT_GT(FindAvailableMemory(system.root()).bytes, 0);
  EXPECT_GE(FindUsableCores(system.root()).count, 1);
}

}  // namespace
}  // namespace dl
