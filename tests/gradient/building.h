// Helpers that begin and build the models of the gradient tests.
#pragma once

#include "gtest/gtest.h"
#include "nn/conf/sequential.h"

namespace dl::gradient {

// Returns the model, or an empty model and a test failure if it is invalid.
inline nn::ModelConfig Build(const nn::Sequential& sequential) {
  StatusOr<nn::ModelConfig> model = sequential.Build();
  EXPECT_TRUE(model.ok()) << model.status();
  return model.ok() ? *std::move(model) : nn::ModelConfig();
}

inline nn::Sequential Start(const nn::InputType& input) {
  return nn::Sequential("gradient").Seed(11).Input(input);
}

}  // namespace dl::gradient
