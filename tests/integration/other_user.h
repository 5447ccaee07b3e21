// Another user of this machine that also runs dl-submit. Only root can act as another user.
#pragma once

#include <string>
#include <vector>

#include "tests/integration/cluster_under_test.h"

namespace dl::test {

class OtherUser {
 public:
  static constexpr int kUser = 65534;

  OtherUser();
  ~OtherUser();
  OtherUser(const OtherUser&) = delete;

  // A folder of this user that contains a copy of the program. All users can reach it.
  const std::string& folder() const { return folder_; }
  // Words before a command that make it run as this user (DlSubmit,
  // StandingCluster::UseMasterPlace).
  std::vector<std::string> place() const;

 private:
  std::string folder_;
};

}  // namespace dl::test
