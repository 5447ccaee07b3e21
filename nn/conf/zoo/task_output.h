// The output layer for a task: classes, or numbers to predict.
#pragma once

#include "nn/conf/layer_config.h"
#include "nn/conf/zoo/zoo.h"

namespace dl::nn::zoo {

inline Output OutputOf(const Task& task) {
  if (task.targets > 0) return Output(task.targets).Loss(MeanSquaredError());
  return Output(task.classes).Loss(SoftmaxCrossEntropy());
}

}  // namespace dl::nn::zoo
