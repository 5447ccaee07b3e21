// The names that a query selects: patterns with commas between them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace dl::master {

class NamePatterns {
 public:
  // Parses patterns such as "train/loss,test/*", in which `*` stands for any characters, or none.
  // An empty text has no pattern, so no name matches. Returns InvalidArgument for more than 64
  // patterns.
  static StatusOr<NamePatterns> Parse(const std::string& text);

  // Returns whether the name matches a pattern. The number of compared characters is at most the
  // product of the name's length and the length of all patterns.
  bool Match(std::string_view name) const;

 private:
  std::vector<std::string> patterns_;
};

}  // namespace dl::master
