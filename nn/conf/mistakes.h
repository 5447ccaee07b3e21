// Collects the mistakes of a config, so that a user can correct several at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace dl::nn {

class Mistakes {
 public:
  // Sets the place of the following mistakes: `layer "conv1" (layers[0], conv2d)`, `model
  // "lenet5"`.
  void SetWhere(std::string where) { where_ = std::move(where); }

  // Adds a mistake. `message` states what is wrong. `remedy` is one imperative sentence without a
  // full stop, or empty.
  void Add(std::string_view message, std::string_view remedy);
  // Adds a mistake unless min <= value <= max. NaN is outside of every range.
  void Range(std::string_view what, int64_t value, int64_t min, int64_t max);
  void Range(std::string_view what, double value, double min, double max);
  // Adds a complete line that was worded elsewhere.
  void AddLine(std::string line) { lines_.push_back(std::move(line)); }

  bool empty() const { return lines_.empty(); }
  size_t size() const { return lines_.size(); }
  const std::vector<std::string>& lines() const { return lines_; }
  // Returns OK, or one InvalidArgument with a line for each mistake.
  Status ToStatus() const;

 private:
  std::string where_;
  std::vector<std::string> lines_;
};

}  // namespace dl::nn
