// Class weights that a job calls "balanced".
#pragma once

#include <string>

#include "base/status.h"
#include "nn/conf/model_config.h"

namespace dl::launch {

// Puts numbers in the place of "balanced" in the model's loss, if it says so: that of class c is
//   n / (classes * n_c)
// of the n labels of the training set, n_c of which are c, so that each class counts n / classes in
// all and the mean weight of a label is 1 (King, Zeng, "Logistic regression in rare events data",
// Political Analysis 2001; scikit-learn's class_weight="balanced"). `manifest` is the training
// set's. InvalidArgument: a class has no example, or so few that its weight is beyond
// limits::kMaxCoefficient.
Status BalanceClasses(const std::string& manifest, nn::ModelConfig& model);

}  // namespace dl::launch
