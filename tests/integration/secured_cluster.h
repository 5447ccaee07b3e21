// A cluster with keys and tokens.
#pragma once

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/integration/cluster_under_test.h"

namespace dl::test {

// A master with keys on all addresses. Executors use the token that `cluster init` made for them.
class SecuredCluster : public testing::Test {
 protected:
  void SetUp() override {
    const Finished made = DlSubmit({"cluster", "init", "--data-dir", data_dir_, "--json"});
    ASSERT_EQ(made.exit_code, 0) << made.errors;
    cluster_.UseMasterFlags({"--address", "0.0.0.0"});
    cluster_.UseExecutorFlags({"--token-file", data_dir_ + "/executor-token"});
    ASSERT_NO_FATAL_FAILURE(cluster_.StartMaster());
  }

  // A token's file and its id.
  struct Given {
    std::string file, id;
  };
  Given Give(const std::string& role, const std::string& owner) {
    Given given{.file = folder_ / (owner + "-" + role)};
    const Finished made = DlSubmit({"cluster", "token", "create", "--data-dir", data_dir_, "--role",
                                    role, "--owner", owner, "-o", given.file, "--json"});
    EXPECT_EQ(made.exit_code, 0) << made.errors;
    given.id = made.result().value("id", "");
    return given;
  }
  Finished As(const Given& who, std::vector<std::string> words) {
    words.insert(words.end(), {"--master", cluster_.url(), "--token-file", who.file});
    return DlSubmit(words);
  }

  const TempFolder folder_;
  const std::string data_dir_ = folder_ / "D";
  StandingCluster cluster_{folder_, data_dir_};
};

}  // namespace dl::test
