// Another user of this machine, who runs dl-submit too. Only root can become one.
#pragma once

#include <string>
#include <vector>

#include "tests/integration/cluster_under_test.h"

namespace dl::test {

class SomebodyElse {
 public:
  static constexpr int kUser = 65534;

  SomebodyElse();
  ~SomebodyElse();
  SomebodyElse(const SomebodyElse&) = delete;

  // A folder that is theirs, with their program in it, where all users get to.
  const std::string& folder() const { return folder_; }
  // Words in front of a command that is theirs then (DlSubmit, StandingCluster::UseMasterPlace).
  std::vector<std::string> place() const;

 private:
  std::string folder_;
};

}  // namespace dl::test
