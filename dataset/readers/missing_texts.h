// Texts that say that a value is missing.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace dl::dataset {

class MissingTexts {
 public:
  // Beside the empty one; letters of either case (ASCII) are the same.
  explicit MissingTexts(const std::vector<std::string>& texts);

  bool Has(const std::string& text) const;

 private:
  std::set<std::string> lower_;
  size_t longest_ = 0;
};

}  // namespace dl::dataset
