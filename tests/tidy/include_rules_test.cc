// Plants violations in made-up files. Each rule must reject the wrong file and accept the correct
// file next to it.
#include "tests/tidy/include_rules.h"

#include <algorithm>

#include "gtest/gtest.h"

namespace dl::tidy {
namespace {

std::string Quoted(const std::string& header) { return "#include \"" + header + "\"\n"; }
std::string Angled(const std::string& header) { return "#  include <" + header + ">  // why\n"; }

struct EdgeCase {
  const char* from;
  const char* header;
  size_t violations;
};

class EdgesOfFolders : public ::testing::TestWithParam<EdgeCase> {};

TEST_P(EdgesOfFolders, ForbiddenIncludeIsFound) {
  const EdgeCase& c = GetParam();
  const Violations found = CheckEdges({c.from, "\n" + Quoted(c.header)});
  ASSERT_EQ(found.size(), c.violations) << c.from << " -> " << c.header;
  for (const Violation& violation : found) EXPECT_EQ(violation.line, 2);
}

INSTANTIATE_TEST_SUITE_P(
    Table, EdgesOfFolders,
    ::testing::Values(
        EdgeCase{"base/a.h", "averaging/grid.h", 1}, EdgeCase{"base/a.h", "base/b.h", 0},
        EdgeCase{"averaging/a.cc", "base/b.h", 0}, EdgeCase{"averaging/a.cc", "storage/b.h", 1},
        EdgeCase{"averaging/a.cc", "nn/network.h", 1}, EdgeCase{"job/a.h", "nn/conf/layers/b.h", 0},
        EdgeCase{"job/a.h", "nn/network.h", 1}, EdgeCase{"job/a.h", "dataset/b.h", 1},
        EdgeCase{"dataset/a.h", "job/b.h", 0}, EdgeCase{"dataset/a.h", "nn/network.h", 1},
        EdgeCase{"nn/conf/a.h", "nn/network.h", 1}, EdgeCase{"nn/conf/a.h", "nn/metrics/b.h", 1},
        EdgeCase{"nn/metrics/a.h", "nn/conf/b.h", 1}, EdgeCase{"nn/layers/a.cc", "nn/conf/b.h", 0},
        EdgeCase{"nn/layers/a.cc", "dataset/b.h", 1}, EdgeCase{"storage/a.h", "job/b.h", 1},
        EdgeCase{"rpc/a.h", "master/core/b.h", 1}, EdgeCase{"master/core/a.cc", "nn/conf/b.h", 0},
        EdgeCase{"master/core/a.cc", "nn/layers/b.h", 1},
        EdgeCase{"master/a.cc", "nn/network.h", 1}, EdgeCase{"master/a.cc", "nn/backend/b.h", 1},
        EdgeCase{"master/a.cc", "executor/b.h", 1}, EdgeCase{"executor/a.cc", "nn/network.h", 0},
        EdgeCase{"executor/a.cc", "master/b.h", 1}, EdgeCase{"launch/a.cc", "master/b.h", 0},
        EdgeCase{"launch/a.cc", "cli/b.h", 1}, EdgeCase{"cli/a.cc", "launch/b.h", 0},
        EdgeCase{"cli/a.cc", "master/b.h", 1}, EdgeCase{"examples/a.cc", "nn/conf/b.h", 0},
        EdgeCase{"examples/a.cc", "executor/b.h", 1}, EdgeCase{"tests/sim/a.cc", "master/b.h", 0},
        EdgeCase{"bench/a.cc", "nn/network.h", 0}, EdgeCase{"rpc/a.cc", "tests/support/b.h", 1},
        EdgeCase{"cli/a.cc", "bench/b.h", 1}));

class ComponentOrders : public ::testing::TestWithParam<EdgeCase> {};

TEST_P(ComponentOrders, UseOnlyEarlierComponents) {
  const EdgeCase& c = GetParam();
  const Violations found = CheckComponentOrder({c.from, "\n" + Quoted(c.header)});
  ASSERT_EQ(found.size(), c.violations) << c.from << " -> " << c.header;
  for (const Violation& violation : found) EXPECT_EQ(violation.line, 2);
}

INSTANTIATE_TEST_SUITE_P(
    Table, ComponentOrders,
    ::testing::Values(
        // Folders are components too.
        EdgeCase{"master/core/master_core.cc", "master/merge/a.h", 1},
        EdgeCase{"master/merge/a.cc", "master/core/master_events.h", 0},
        EdgeCase{"master/merge/a.cc", "master/store_recovery.h", 1},
        EdgeCase{"master/store_recovery.cc", "master/gateway/a.h", 1},
        EdgeCase{"master/gateway/gateway.h", "master/master.h", 1},
        EdgeCase{"master/master.cc", "master/gateway/gateway.h", 0},
        EdgeCase{"executor/core/a.cc", "executor/fault.h", 1},
        // The master's core.
        EdgeCase{"master/core/job/a.h", "master/core/master_events.h", 1},
        EdgeCase{"master/core/master_events.h", "master/core/job/a.h", 0},
        EdgeCase{"master/core/job/a.h", "master/core/views/b.h", 1},
        EdgeCase{"master/core/views/a.h", "master/core/records/b.h", 1},
        EdgeCase{"master/core/records/a.cc", "master/core/views/b.h", 0},
        EdgeCase{"master/core/machine/trust.cc", "master/core/records/b.h", 0},
        EdgeCase{"master/core/fleet/a.cc", "master/core/machine/b.h", 1},
        EdgeCase{"master/core/machine/trust.cc", "master/core/fleet/b.h", 0},
        EdgeCase{"master/core/machine/trust.cc", "master/core/leasing/b.h", 1},
        EdgeCase{"master/core/leasing/a.cc", "master/core/client_requests/b.h", 1},
        EdgeCase{"master/core/leasing/a.cc", "master/core/machine/upkeep.h", 0},
        EdgeCase{"master/core/leasing/a.cc", "master/core/machine/machine.h", 1},
        EdgeCase{"master/core/client_requests/a.cc", "master/core/machine/machine.h", 1},
        EdgeCase{"master/core/master_core.h", "master/core/machine/machine.h", 0},
        // The layers of the machine, whose parts may not use one another within a layer.
        EdgeCase{"master/core/machine/trust.cc", "master/core/machine/trust.h", 0},
        EdgeCase{"master/core/machine/trust.h", "master/core/machine/gathering.h", 0},
        EdgeCase{"master/core/machine/trust.h", "master/core/machine/checkpoints.h", 1},
        EdgeCase{"master/core/machine/trust.h", "master/core/machine/rollbacks.h", 1},
        EdgeCase{"master/core/machine/rollbacks.h", "master/core/machine/trust.h", 0},
        EdgeCase{"master/core/machine/rollbacks.h", "master/core/machine/contracts.h", 1},
        EdgeCase{"master/core/machine/machine_component.h", "master/core/machine/trust.h", 1},
        EdgeCase{"master/core/client_requests/a.cc", "master/core/master_core.h", 1},
        EdgeCase{"master/core/master_core.cc", "master/core/client_requests/b.h", 0},
        EdgeCase{"master/core/master_core_options.h", "master/core/fleet/b.h", 1},
        // The gateway.
        EdgeCase{"master/gateway/writer.cc", "master/gateway/core_shell.h", 1},
        EdgeCase{"master/gateway/documents.cc", "master/gateway/writer.h", 1},
        EdgeCase{"master/gateway/core_shell.h", "master/gateway/writer.h", 0},
        EdgeCase{"master/gateway/actions.cc", "master/gateway/retention.h", 1},
        EdgeCase{"master/gateway/retention.h", "master/gateway/effect_dispatcher.h", 1},
        EdgeCase{"master/gateway/queries.cc", "master/gateway/gateway.h", 1},
        // The merge.
        EdgeCase{"master/merge/slice.h", "master/merge/staging.h", 1},
        EdgeCase{"master/merge/staging.cc", "master/merge/running_jobs.h", 1},
        EdgeCase{"master/merge/gathered_round.h", "master/merge/gathers.h", 0},
        EdgeCase{"master/merge/running_jobs.h", "master/merge/merge_work.h", 1},
        EdgeCase{"master/merge/merge_work.cc", "master/merge/receiving.h", 1},
        EdgeCase{"master/merge/receiving.cc", "master/merge/merge_engine.h", 1},
        // The executor and its core.
        EdgeCase{"executor/fault.h", "executor/executor_services.h", 1},
        EdgeCase{"executor/job_engine.cc", "executor/unit_runner.h", 1},
        EdgeCase{"executor/unit_runner.cc", "executor/slot.h", 1},
        EdgeCase{"executor/executor_services.h", "executor/compute_threads.h", 1},
        EdgeCase{"executor/compute_threads.cc", "executor/bulk_lane.h", 1},
        EdgeCase{"executor/bulk_lane.cc", "executor/executor.h", 1},
        EdgeCase{"executor/executor_options.h", "executor/part_cache.h", 0},
        EdgeCase{"executor/core/core_component.h", "executor/core/slots.h", 1},
        EdgeCase{"executor/core/slots.cc", "executor/core/registration.h", 0},
        EdgeCase{"executor/core/slots.cc", "executor/core/gather_requests.h", 1},
        EdgeCase{"executor/core/delivery.cc", "executor/core/computing.h", 1},
        EdgeCase{"executor/core/lease_requests.cc", "executor/core/heartbeats.h", 1},
        EdgeCase{"executor/core/heartbeats.cc", "executor/core/executor_core.h", 1},
        // Implementations of the engine's operations.
        EdgeCase{"nn/backend/onednn/a.cc", "nn/backend/primitive.h", 0},
        EdgeCase{"nn/backend/primitive.cc", "nn/backend/onednn/b.h", 1},
        EdgeCase{"nn/backend/onednn/a.cc", "nn/backend/own/b.h", 1},
        EdgeCase{"nn/backend/own/a.cc", "nn/backend/own/b.h", 0},
        // Other folders have no components.
        EdgeCase{"base/a.h", "master/core/master_core.h", 0}));

TEST(Components, MissingComponentIsFound) {
  const SourceTree tree = {{"master/gateway/writer.h", ""}, {"master/core/master_core.cc", ""}};
  const Violations found = CheckComponentsExist(tree);
  const auto is_missed = [&](const std::string& component) {
    return std::ranges::any_of(found, [&](const Violation& v) { return v.path == component; });
  };
  EXPECT_FALSE(is_missed("master/gateway/writer."));
  EXPECT_FALSE(is_missed("master/core/"));
  EXPECT_TRUE(is_missed("master/gateway/effect_dispatcher."));
  EXPECT_TRUE(is_missed("executor/core/"));
}

TEST(Components, FileWithoutALayerIsReported) {
  const Violations found = CheckComponentOrder({"master/core/machine/new_part.h", ""});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].message,
            "is not in the order of master/core/machine/ "
            "(tests/tidy/include_rules.cc)");
}

TEST(LinkedTargets, FollowTheSameTable) {
  const std::string text = "dl_library(dl_master\n  DEPS dl_base dl_nn_conf dl_nn)\n";
  const Violations found = CheckLinkedTargets({"master/CMakeLists.txt", text});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].line, 2);
  EXPECT_TRUE(CheckLinkedTargets({"executor/CMakeLists.txt", "dl_library(dl_executor DEPS dl_nn)"})
                  .empty());
  EXPECT_TRUE(CheckLinkedTargets({"tests/unit/master/CMakeLists.txt", text}).empty());
  EXPECT_TRUE(CheckLinkedTargets({"cli/CMakeLists.txt", "DEPS dl_web_documents"}).empty());
  EXPECT_TRUE(CheckLinkedTargets({"cli/CMakeLists.txt", "DEPS dl_web_schemas"}).empty());
  EXPECT_EQ(CheckLinkedTargets({"web/schemas/CMakeLists.txt", "DEPS dl_web_documents"}).size(), 1u);
  EXPECT_EQ(CheckLinkedTargets({"cli/CMakeLists.txt", "DEPS dl_web"}).size(), 1u);
  EXPECT_EQ(CheckLinkedTargets({"inference/CMakeLists.txt", "DEPS dl_web_documents"}).size(), 1u);
}

TEST(ThirdParties, StayInTheirFolders) {
  struct Case {
    const char* header;
    const char* inside;
    const char* outside;
  };
  for (const Case& c :
       {Case{"thrift/Thrift.h", "rpc/a.cc", "master/gateway/a.cc"},
        Case{"rocksdb/db.h", "storage/a.cc", "dataset/a.cc"},
        Case{"dnnl.hpp", "nn/backend/onednn/a.cc", "nn/backend/a.cc"},
        Case{"oneapi/dnnl/dnnl.hpp", "nn/backend/onednn/a.cc", "nn/backend/own/a.cc"},
        Case{"nn/backend/kernel.h", "nn/backend/own/a.cc", "nn/layers/a.cc"},
        Case{"nn/backend/onednn/a.h", "tests/unit/nn/a.cc", "nn/layers/a.cc"},
        Case{"nn/backend/own/a.h", "nn/backend/a.cc", "nn/a.cc"},
        Case{"CLI/CLI.hpp", "cli/a.cc", "launch/a.cc"},
        Case{"archive_entry.h", "inference/export/a.cc", "cli/a.cc"},
        Case{"archive.h", "dataset/readers/a.cc", "dataset/a.cc"},
        Case{"spdlog/spdlog.h", "base/log.cc", "rpc/a.cc"},
        Case{"nlohmann/json.hpp", "base/json.h", "base/log.cc"},
        Case{"openssl/evp.h", "base/checksum.cc", "storage/a.cc"},
        Case{"xxhash.h", "base/checksum.cc", "dataset/a.cc"},
        Case{"zlib.h", "dataset/a.cc", "rpc/a.cc"},
        Case{"zstd.h", "dataset/a.cc", "storage/a.cc"},
        Case{"png.h", "dataset/readers/a.cc", "launch/a.cc"},
        Case{"jpeglib.h", "dataset/readers/a.cc", "cli/a.cc"},
        Case{"jerror.h", "dataset/readers/a.cc", "cli/a.cc"},
        Case{"gtest/gtest.h", "tests/unit/rpc/a.cc", "rpc/a.cc"},
        Case{"Random123/philox.h", "tests/unit/base/a.cc", "base/a.cc"},
        Case{"rocksdb/db.h", "tests/unit/storage/a.cc", "tests/unit/dataset/a.cc"}}) {
    for (const std::string& line : {Quoted(c.header), Angled(c.header)}) {
      EXPECT_TRUE(CheckThirdParties({c.inside, line}).empty()) << c.inside << " " << c.header;
      EXPECT_EQ(CheckThirdParties({c.outside, line}).size(), 1u) << c.outside << " " << c.header;
    }
  }
}

TEST(ThirdParties, AbseilClockAndLocksAreForbidden) {
  EXPECT_TRUE(CheckThirdParties({"base/a.cc", Quoted("absl/strings/str_cat.h")}).empty());
  EXPECT_EQ(CheckThirdParties({"base/a.cc", Quoted("absl/synchronization/mutex.h")}).size(), 1u);
  EXPECT_EQ(CheckThirdParties({"base/a.cc", Quoted("absl/time/clock.h")}).size(), 1u);
}

TEST(ThirdParties, UnknownHeadersAreAsked) {
  EXPECT_EQ(CheckThirdParties({"rpc/a.cc", Angled("boost/asio.hpp")}).size(), 1u);
  EXPECT_EQ(CheckThirdParties({"nn/a.cc", Angled("Eigen/Core")}).size(), 1u);
  EXPECT_EQ(CheckThirdParties({"bench/a.cc", Angled("benchmark/benchmark.h")}).size(), 1u);
  EXPECT_EQ(CheckThirdParties({"master/a.cc", Quoted("sibling.h")}).size(), 1u);
  EXPECT_EQ(CheckThirdParties({"master/a.cc", Quoted("paravane_types.h")}).size(), 1u);
  EXPECT_TRUE(CheckThirdParties({"rpc/a.cc", Quoted("paravane_types.h")}).empty());
  EXPECT_TRUE(
      CheckThirdParties({"rpc/a.cc", Angled("vector") + Angled("sys/mman.h") + Angled("unistd.h")})
          .empty());
}

}  // namespace
}  // namespace dl::tidy
