// The output layer of networks that predict one of several classes, or several numbers.
#pragma once

#include "nn/conf/layer_config.h"
#include "nn/conf/zoo/zoo.h"

namespace dl::nn::zoo {

// Returns the output layer for the task. If Task::targets is above 0, the layer predicts this many
// numbers and has the mean squared error as its loss. Otherwise it predicts one of Task::classes
// classes and has the cross-entropy as its loss.
inline Output OutputOf(const Task& task) {
  if (task.targets > 0) return Output(task.targets).Loss(MeanSquaredError());
  return Output(task.classes).Loss(SoftmaxCrossEntropy());
}

}  // namespace dl::nn::zoo
