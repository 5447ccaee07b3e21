// How the models of the gradient tests begin and end.
#pragma once

#include "gtest/gtest.h"
#include "nn/conf/sequential.h"

namespace dl::gradient {

inline nn::ModelConfig Build(const nn::Sequential& sequential) {
  StatusOr<nn::ModelConfig> model = sequential.Build();
  EXPECT_TRUE(model.ok()) << model.status();
  return model.ok() ? *std::move(model) : nn::ModelConfig();
}

inline nn::Sequential Start(const nn::InputType& input) {
  return nn::Sequential("gradient").Seed(11).Input(input);
}

}  // namespace dl::gradient
