// Reasons for which a job may FAIL: its own defects, but not reports of a single machine, nor
// executors that leave.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/ids.h"
#include "base/json.h"
#include "master/core/master_core.h"
#include "tests/sim/audit.h"

namespace dl::sim {

// Kinds of trouble at a unit: its loss was not finite, it never returned, or it failed or ended its
// process for another reason.
enum class Trouble { kNotFinite, kHung, kOther };

class FailureRules {
 public:
  explicit FailureRules(Audit& audit) : audit_(audit) {}

  void Note(const UnitId& unit, const std::string& executor, Trouble what);
  // The machine killed the executor's process because it computed the unit, not at random. `life`
  // is the number of the master's process.
  void RecordKilled(const UnitId& unit, const std::string& executor, Instant now, int64_t life);
  // Must be called after every event. An executor may be blamed for a failure at a unit only if it
  // had trouble there or gives wrong results.
  void CheckBlamed(const master::Core& core) const;
  // The job FAILED; `record` has the reason.
  void Check(const std::string& job, const Json& record);

 private:
  // Number of troubles of each executor, by job and unit.
  using Times = std::map<std::string, std::map<UnitId, std::map<std::string, int64_t>>>;
  struct Kills {
    int64_t life = 0;  // number of the master's process
    std::deque<Instant> last;
  };

  bool MayFail(const std::string& job, Times& times) const;
  bool HadTrouble(const UnitId& unit, const std::string& executor) const;

  Audit& audit_;
  Times trouble_, not_finite_;
  std::map<std::pair<std::string, std::string>, Kills> kills_;  // by executor and job
};

}  // namespace dl::sim
