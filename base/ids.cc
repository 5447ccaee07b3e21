#include "base/ids.h"

namespace dl {

std::string ToString(const UnitId& unit) {
  return unit.job + (unit.kind == UnitKind::kTrain ? "/train/" : "/evaluate/") +
         std::to_string(unit.round) + "/" + std::to_string(unit.index);
}

}  // namespace dl
