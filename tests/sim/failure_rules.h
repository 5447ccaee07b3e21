// What a job may fail for: what is wrong with it, and not what one machine says, or that others
// leave.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/ids.h"
#include "base/json.h"
#include "tests/sim/audit.h"

namespace dl::sim {

// A unit ended the process that computed it, or failed there, with a loss that is no number or for
// another reason; or it never came back.
enum class Trouble { kNotFinite, kHung, kOther };

class FailureRules {
 public:
  explicit FailureRules(Audit& audit) : audit_(audit) {}

  void Note(const UnitId& unit, Trouble what);
  // The job FAILED; `record` says why.
  void Check(const std::string& job, const Json& record);

 private:
  // How often, by job and unit.
  using Times = std::map<std::string, std::map<UnitId, int64_t>>;

  Audit& audit_;
  Times trouble_, not_finite_;
};

}  // namespace dl::sim
