#include "tests/support/planted_bug.h"

#include <cstdlib>

namespace dl::test {

bool IsPlanted(std::string_view bug) {
  static const char* const alive = std::getenv("PLANTED_BUG");
  return alive != nullptr && bug == alive;
}

}  // namespace dl::test
