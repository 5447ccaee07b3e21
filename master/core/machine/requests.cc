#include "master/core/machine/requests.h"

#include <algorithm>

#include "base/overloaded.h"

namespace dl::master {

bool Requests::RemoveUnitsOf(const Job& job) const {
  const std::string& id = job.definition.id;
  return std::ranges::any_of(recorded_, [&](const Request& request) {
    return std::visit(Overloaded{[&](const RollbackRequest& r) { return r.job == id; },
                                 [&](const FailureRequest& r) { return r.unit.job == id; }},
                      request);
  });
}

}  // namespace dl::master
