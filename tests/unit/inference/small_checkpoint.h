// Checkpoints that no job made: random initial weights of a model.
#pragma once

#include "averaging/job_strategy.h"
#include "base/philox.h"
#include "gtest/gtest.h"
#include "inference/checkpoint_reader.h"
#include "job/job_builder.h"
#include "job/parameter_averaging.h"
#include "nn/conf/sequential.h"
#include "tests/support/status_matchers.h"

namespace dl::inference {

inline LoadedCheckpoint CheckpointWithWeights(const nn::Sequential& model,
                                              const ParameterAveraging& training) {
  auto spec = job::Job("small").Model(model).Training(training).Train(data::Csv("t.csv")).Build();
  DL_EXPECT_OK(spec);
  LoadedCheckpoint checkpoint{.name = "small-1@3",
                              .spec = *std::move(spec),
                              .strategy = {},
                              .parts = {},
                              .state_sha256 = {},
                              .info = {}};
  checkpoint.strategy = averaging::MakeStrategy(checkpoint.spec).value();
  const averaging::PartLayout& layout = checkpoint.strategy->layout().parts.front();
  FloatBuffer values = FloatBuffer::Create(layout.table.size()).value();
  RandomStream stream({.seed = 5, .purpose = RandomPurpose::kForTests});
  for (float& value : values.span()) value = static_cast<float>(stream.NextNormal()) * 0.5f;
  checkpoint.parts.push_back(
      {.key = layout.name, .layout = &layout, .values = std::move(values), .sha256 = {}});
  return checkpoint;
}

}  // namespace dl::inference
