// What a job may fail for: what is wrong with it, and not what one machine says, or that others
// leave.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/ids.h"
#include "base/json.h"
#include "master/core/core.h"
#include "tests/sim/audit.h"

namespace dl::sim {

// A unit ended the process that computed it, or failed there, with a loss that is no number or for
// another reason; or it never came back.
enum class Trouble { kNotFinite, kHung, kOther };

class FailureRules {
 public:
  explicit FailureRules(Audit& audit) : audit_(audit) {}

  void Note(const UnitId& unit, const std::string& executor, Trouble what);
  // The executor's process was killed while it computed the unit, by its machine and not by chance,
  // in the master's life of that number.
  void NoteKilled(const UnitId& unit, const std::string& executor, Instant now, int64_t life);
  // Called after every event. An executor is blamed for a failure at a unit only if it had trouble
  // there or gives wrong results.
  void CheckBlamed(const master::Core& core) const;
  // The job FAILED; `record` says why.
  void Check(const std::string& job, const Json& record);

 private:
  // How often each executor had it, by job and unit.
  using Times = std::map<std::string, std::map<UnitId, std::map<std::string, int64_t>>>;
  struct Kills {
    int64_t life = 0;  // of the master
    std::deque<Instant> last;
  };

  bool MayFail(const std::string& job, Times& times) const;
  bool HadTrouble(const UnitId& unit, const std::string& executor) const;

  Audit& audit_;
  Times trouble_, not_finite_;
  std::map<std::pair<std::string, std::string>, Kills> kills_;  // by executor and job
};

}  // namespace dl::sim
