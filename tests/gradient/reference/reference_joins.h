// Reference of the layers that read several values, nn/conf/layers/elementwise.h and concat.h, and
// of how nn/conf/layers/recurrent.h combines its two directions.
#pragma once

#include "tests/gradient/reference/reference_layer.h"

namespace dl::reference {

class Sum : public JoiningLayer {
 public:
  Values Forward(const std::vector<const Values*>& x, const Pass& pass) override;
  std::vector<Values> Backward(const Values& dy) override;

 private:
  size_t inputs_ = 0;
};

class Mean : public JoiningLayer {
 public:
  Values Forward(const std::vector<const Values*>& x, const Pass& pass) override;
  std::vector<Values> Backward(const Values& dy) override;

 private:
  size_t inputs_ = 0;
};

class Product : public JoiningLayer {
 public:
  Values Forward(const std::vector<const Values*>& x, const Pass& pass) override;
  std::vector<Values> Backward(const Values& dy) override;

 private:
  std::vector<Values> inputs_;
};

class Maximum : public JoiningLayer {
 public:
  Values Forward(const std::vector<const Values*>& x, const Pass& pass) override;
  std::vector<Values> Backward(const Values& dy) override;
  double KinkDistance() const override { return kink_distance_; }

 private:
  size_t inputs_ = 0;
  std::vector<size_t> of_;  // index of the input with the largest value
  double kink_distance_ = 0;
};

class Concatenation : public JoiningLayer {
 public:
  Values Forward(const std::vector<const Values*>& x, const Pass& pass) override;
  std::vector<Values> Backward(const Values& dy) override;

 private:
  std::vector<size_t> rows_;  // values per example, by input
  int64_t examples_ = 0;
};

}  // namespace dl::reference
