// Collects everything that is wrong with a config, so that a user corrects it in one go.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace dl::nn {

class Mistakes {
 public:
  // Says what the following mistakes belong to: `layer "conv1" (layers[0], conv2d)`, `model
  // "lenet5"`.
  void SetWhere(std::string where) { where_ = std::move(where); }

  // `message` says what is wrong, `remedy` is one imperative sentence without a full stop.
  void Add(std::string_view message, std::string_view remedy);
  // Adds a mistake unless min <= value <= max. NaN is out of every range.
  void Range(std::string_view what, int64_t value, int64_t min, int64_t max);
  void Range(std::string_view what, double value, double min, double max);
  // Takes over mistakes that were found and worded elsewhere, one per line.
  void AddLine(std::string line) { lines_.push_back(std::move(line)); }

  bool empty() const { return lines_.empty(); }
  size_t size() const { return lines_.size(); }
  const std::vector<std::string>& lines() const { return lines_; }
  // OK, or one InvalidArgument with a line for each mistake.
  Status ToStatus() const;

 private:
  std::string where_;
  std::vector<std::string> lines_;
};

}  // namespace dl::nn
