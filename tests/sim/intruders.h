// Users that act on jobs without the right to: on another user's job, with a token of another role,
// or with a revoked token.
#pragma once

#include <string>

#include "tests/sim/sim_cluster.h"

namespace dl::sim {

class Intruders {
 public:
  struct Options {
    Cluster* cluster = nullptr;
    int64_t at_once = 1;  // number of actions
    RandomStream random{{}};
  };
  explicit Intruders(Options options) : options_(std::move(options)), cluster_(*options_.cluster) {}

  void Begin(Instant peace);

 private:
  void Next();
  void ActOn(const std::string& id, const std::string& owner);
  security::Identity UserWithoutRight(const std::string& owner);

  Options options_;
  Cluster& cluster_;
  Instant peace_;
};

}  // namespace dl::sim
