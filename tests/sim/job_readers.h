// Readers of jobs: they ask about jobs and follow their events, some without the right to.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "tests/sim/sim_cluster.h"

namespace dl::sim {

class JobReaders {
 public:
  struct Options {
    Cluster* cluster = nullptr;
    RandomStream random{{}};
  };
  explicit JobReaders(Options options)
      : options_(std::move(options)), cluster_(*options_.cluster) {}

  // Asks until Stop(), less often in peace.
  void Begin(Instant peace);
  void Stop() { stopped_ = true; }
  // Follows the acknowledged jobs from their first events to their ends.
  void FollowAll();
  // Whether each job of FollowAll() was followed to its end, or is deleted.
  bool AllAreFollowed() const { return followed_.empty(); }

 private:
  void Next();
  void Ask();
  std::string SomeJob();
  security::Identity SomeUser();
  void Call(const rpc::QueryRequest& request, const security::Identity& who);
  void Follow(const rpc::EventsRequest& request, const security::Identity& who);

  Options options_;
  Cluster& cluster_;
  Instant peace_;
  bool stopped_ = false;
  std::set<std::string> followed_;  // jobs of FollowAll() whose ends were not seen yet
};

}  // namespace dl::sim
