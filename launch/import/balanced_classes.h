// Computes the class weights of a job that asks for "balanced".
#pragma once

#include <string>

#include "base/status.h"
#include "nn/conf/model_config.h"

namespace dl::launch {

// Replaces "balanced" in the losses of the model, if present, by numbers. The weight of class c is
//   n / (classes * n_c)
// where n is the number of labels of the training set and n_c the number of labels of class c. Each
// class then counts n / classes in total, and the mean weight of a label is 1 (King, Zeng,
// "Logistic regression in rare events data", Political Analysis 2001; scikit-learn's
// class_weight="balanced"). `manifest` is the text of the training set's manifest. Returns
// InvalidArgument if a class has no example, or so few that its weight exceeds
// limits::kMaxCoefficient. Other errors are those of dataset::ManifestFromJson.
Status BalanceClasses(const std::string& manifest, nn::ModelConfig& model);

}  // namespace dl::launch
