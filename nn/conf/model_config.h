// A validated model. The engine compiles it, the master computes its size, and a checkpoint
// contains it. Plain data, made by nn::Sequential(...).Build() or ModelFromJson. Later changes are
// only the seed, which a job sets, and balanced class weights
// (nn/conf/losses/weights_of_classes.h).
//
// A training step, for engine and reference implementation alike. g is the gradient of the
// minibatch's mean loss.
//   1. clipping by value, c = clip_gradients_by_value > 0:  each element of g to [-c, c]
//   2. gradient_normalization:                              by the norm of each layer or tensor
//   3. clipping by norm, c = clip_gradients_by_norm > 0:    g *= c / |g| if |g| > c,
//                                                           |g| over all parameters
//   4. L1 and L2, for weights only:                         g += l1 sign(w) + l2 w
//   5. updater:                                             w_new = w - u, u by nn/conf/updaters
//   6. weight decay, for weights only:                      w_new -= lr weight_decay w,
//                                                           w before the step; part of u in lamb
//   7. weight_constraint, for weights only:                 by the norm of each output's w_new
// Weight decay is decoupled: Loshchilov, Hutter, "Decoupled weight decay regularization", ICLR
// 2019. In 5 and 6, lr is the learning rate times the layer's learning_rate_factor. The parameters
// of a frozen layer take no part: neither they nor their updater state change, and no norm includes
// them.
//
// A merge (the mean of the workers' weights, or the step of an outer optimizer) is not followed by
// step 7. A mean of different weights of norm 1 is shorter than 1; the next step restores the norm.
//
// The reported loss includes the penalties that layers add (nn/conf/layers/gaussian_sample.h). It
// lacks the terms of L1 and L2 (weight_penalty.h), which step 4 also minimizes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/limits.h"
#include "nn/conf/gradient_normalization.h"
#include "nn/conf/input_type.h"
#include "nn/conf/updaters/updater_registry.h"
#include "nn/conf/weight_constraint.h"
#include "nn/conf/weight_init.h"

namespace dl::nn {

struct LayerConfig;  // nn/conf/layer_config.h, for sources that access layers
struct Output;       // nn/conf/layers/output.h

struct ModelConfig {
  ModelConfig();
  ModelConfig(const ModelConfig& other);
  ModelConfig(ModelConfig&& other) noexcept;
  ModelConfig& operator=(const ModelConfig& other);
  ModelConfig& operator=(ModelConfig&& other) noexcept;
  ~ModelConfig();
  bool operator==(const ModelConfig& other) const;

  std::string name;
  uint64_t seed = 0;
  std::vector<NamedInput> inputs;  // at least one
  UpdaterConf updater;
  WeightInitConf weight_init;
  double l1 = 0;  // 0 to limits::kMaxCoefficient
  double l2 = 0;  // 0 to limits::kMaxCoefficient
  // 0 to limits::kMaxCoefficient; 0 means that of the updater (WeightDecayOf), which only adamw has
  double weight_decay = 0;
  WeightConstraintConf weight_constraint;
  GradientNormalization gradient_normalization;
  double clip_gradients_by_value = 0;  // 0 = off; at most 1e30
  double clip_gradients_by_norm = 0;   // 0 = off; at most 1e30
  std::vector<LayerConfig> layers;     // including adapters; the last one has a loss

  // Returns the output of the last layer (OutputOf), which gives the model's predictions. All
  // layers with a loss are outputs of the model (nn/conf/model_outputs.h).
  Output output() const;
  // Returns the type of the only input, or of the first of several.
  const InputType& input() const { return inputs.front().type; }
  // Returns the number of elements of all parameters. Running means and variances do not count.
  int64_t ParameterCount() const;

  // All keys except name, seed, inputs and layers.
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(Field{.key = "updater", .meaning = "Rule that changes weights by gradients"},
          self.updater);
    visit(Field{.key = "weight_init",
                .meaning = "Initialization of weights in layers without their own"},
          self.weight_init);
    visit(Field{.key = "l1",
                .what = "l1",
                .max = limits::kMaxCoefficient,
                .meaning =
                    "L1 regularization: this times the sign of a weight is added to its gradient"},
          self.l1);
    visit(Field{.key = "l2",
                .what = "l2",
                .max = limits::kMaxCoefficient,
                .meaning = "L2 regularization: this times a weight is added to its gradient"},
          self.l2);
    visit(Field{.key = "weight_decay",
                .what = "weight decay",
                .max = limits::kMaxCoefficient,
                .meaning = "Decoupled weight decay: each step subtracts rate · this · weight"},
          self.weight_decay);
    visit(Field{.key = "weight_constraint",
                .meaning = "Constraint on the weights of each output after each step"},
          self.weight_constraint);
    visit(Field{.key = "gradient_normalization",
                .meaning = "Normalization of gradients by the norm of a layer or tensor"},
          self.gradient_normalization);
    visit(Field{.key = "clip_gradients_by_value",
                .what = "the limit of clipping gradients by value",
                .max = 1e30,
                .meaning = "Largest magnitude of a gradient element; 0 = off"},
          self.clip_gradients_by_value);
    visit(Field{.key = "clip_gradients_by_norm",
                .what = "the limit of clipping gradients by norm",
                .max = 1e30,
                .meaning = "Largest L2 norm of the complete gradient; 0 = off"},
          self.clip_gradients_by_norm);
  }
};

}  // namespace dl::nn
