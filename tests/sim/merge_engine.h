// The stand-in for the master's merge engine: the same effects in, the same events out, states of a
// few numbers. It dies with its master; what it was doing then is lost.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "averaging/round_mean.h"
#include "master/core/events.h"
#include "tests/sim/agenda.h"
#include "tests/sim/disk.h"
#include "tests/sim/sim_job.h"
#include "tests/sim/virtual_time.h"

namespace dl::sim {

class MergeEngine {
 public:
  struct Options {
    VirtualTime* time = nullptr;
    Disk* disk = nullptr;
    RandomStream random{{}};
    std::function<void(master::Event)> post;
    std::function<void(std::string)> breach;
  };
  explicit MergeEngine(Options options) : options_(std::move(options)), agenda_(options_.time) {}

  void Do(const master::PrepareState& effect);
  void Do(const master::OpenRound& effect);
  void Do(const master::ExpectContribution& effect);
  void Do(const master::DropContribution& effect);
  void Do(const master::OpenGather& effect);
  void Do(const master::ExpectGather& effect);
  void Do(const master::DropGather& effect);
  void Do(const master::Merge& effect);
  void Do(const master::Publish& effect);
  void Do(const master::Retire& effect);
  void Do(const master::ExpectPart& effect);
  void Do(const master::WriteCheckpoint& effect);
  void Do(const master::DeleteCheckpoint& effect);
  void Do(const master::ReleaseJob& effect);

  StatusOr<Vector> Fetch(const std::string& job, const std::string& sha256) const;
  rpc::ContributionReply Contribute(uint64_t session, const UnitId& unit, uint64_t hash,
                                    const Vector& bytes);
  // All that the gather asked for; it counts when its last piece came.
  rpc::ContributionReply Gather(uint64_t session, const std::string& job, uint64_t number,
                                const std::string& content, bool last);
  Status Offer(const std::string& job, const std::string& sha256, const Vector& bytes);

 private:
  struct Staged {
    uint64_t number = 0;  // of the expectation
    uint64_t session = 0;
    uint64_t hash = 0;
    Vector bytes;  // empty until it came
  };
  struct JobData {
    uint64_t life = 0;  // tells a job from the same one released and begun again
    SimJob job;
    std::map<int64_t, State> states;
    int64_t published = -1;
    std::vector<int64_t> weights;
    std::map<UnitId, Staged> staged;
    // Of a round that is gathered.
    struct Arriving {
      master::ExpectGather expected;
      bool whole = false;
    };
    std::map<uint64_t, Arriving> gathers;
    std::shared_ptr<const averaging::Strategy> strategy;
    std::shared_ptr<averaging::RoundMean> sum;  // of those added; shared with actions to come
    std::map<int32_t, uint64_t> added;
    struct OpenedSum {
      uint64_t number = 0;
      std::string content;
      std::map<int32_t, Vector> parts;
      size_t inputs = 0;
    } opened;
    averaging::GridExponents grid;
    std::map<std::string, Vector> worker_parts;  // by key
    uint64_t merge = 0;                          // the newest: what older ones make is not kept
    std::map<std::string, Vector> parts;         // empty until it came
  };
  void AddGathered(const std::string& job, uint64_t number, uint64_t session,
                   const std::string& content);
  JobData& DataOf(const std::string& job);
  StatusOr<State> Prepare(const master::PrepareState& effect);
  void Later(Duration longest, std::function<void()> action);

  Options options_;
  Agenda agenda_;
  std::map<std::string, JobData> jobs_;
  uint64_t lives_ = 0;
};

}  // namespace dl::sim
