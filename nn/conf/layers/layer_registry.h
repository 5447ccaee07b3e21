// All layer types: the variant LayerConf, and the table by which readers of JSON and tests find
// them.
#pragma once

#include <span>
#include <string_view>
#include <variant>

#include "base/one_of.h"
#include "nn/conf/layers/activation_layer.h"
#include "nn/conf/layers/adaptive_pool2d.h"
#include "nn/conf/layers/batch_norm.h"
#include "nn/conf/layers/concat.h"
#include "nn/conf/layers/conv1d.h"
#include "nn/conf/layers/conv2d.h"
#include "nn/conf/layers/conv3d.h"
#include "nn/conf/layers/cross_attention.h"
#include "nn/conf/layers/dense.h"
#include "nn/conf/layers/dropout.h"
#include "nn/conf/layers/edges2d.h"
#include "nn/conf/layers/elementwise.h"
#include "nn/conf/layers/embedding.h"
#include "nn/conf/layers/flatten.h"
#include "nn/conf/layers/gaussian_noise.h"
#include "nn/conf/layers/gaussian_sample.h"
#include "nn/conf/layers/global_pool1d.h"
#include "nn/conf/layers/global_pool2d.h"
#include "nn/conf/layers/global_pool3d.h"
#include "nn/conf/layers/group_norm.h"
#include "nn/conf/layers/gru.h"
#include "nn/conf/layers/l2_normalize.h"
#include "nn/conf/layers/last_step.h"
#include "nn/conf/layers/layer_norm.h"
#include "nn/conf/layers/local_response_norm.h"
#include "nn/conf/layers/loss_layer.h"
#include "nn/conf/layers/lstm.h"
#include "nn/conf/layers/output.h"
#include "nn/conf/layers/permute.h"
#include "nn/conf/layers/pool1d.h"
#include "nn/conf/layers/pool2d.h"
#include "nn/conf/layers/pool3d.h"
#include "nn/conf/layers/positional_embedding.h"
#include "nn/conf/layers/prelu.h"
#include "nn/conf/layers/repeat.h"
#include "nn/conf/layers/reshape.h"
#include "nn/conf/layers/rms_norm.h"
#include "nn/conf/layers/scale_shift.h"
#include "nn/conf/layers/self_attention.h"
#include "nn/conf/layers/simple_rnn.h"
#include "nn/conf/layers/stack.h"
#include "nn/conf/layers/subset.h"
#include "nn/conf/layers/transposed_conv2d.h"
#include "nn/conf/layers/upsample2d.h"

namespace dl::nn {

struct AllLayers {
  using Variant = std::variant<
      Dense, Conv2D, TransposedConv2D, MaxPool2D, AvgPool2D, GlobalAvgPool2D, AdaptiveAvgPool2D,
      AdaptiveMaxPool2D, Conv3D, MaxPool3D, AvgPool3D, GlobalAvgPool3D, Conv1D, MaxPool1D,
      AvgPool1D, GlobalAvgPool1D, GlobalMaxPool1D, Upsample2D, ZeroPad2D, Crop2D, Reshape, Permute,
      Repeat, Subset, ActivationLayer, PRelu, ScaleShift, Dropout, GaussianSample, GaussianNoise,
      BatchNorm, GroupNorm, InstanceNorm, LayerNorm, RmsNorm, L2Normalize, LocalResponseNorm,
      Flatten, Add, Multiply, Average, Maximum, Concat, Stack, Embedding, PositionalEmbedding,
      SimpleRnn, Gru, Lstm, LastStep, SelfAttention, CrossAttention, Output, LossLayer>;
};
using LayerConf = OneOf<AllLayers>;

// A layer and an input that it accepts (the type after adapters).
struct LayerSample {
  LayerConf layer;
  InputType input;
};

struct LayerType {
  std::string_view tag;
  LayerConf (*make_default)();
  std::vector<LayerSample> (*samples)();
};

// Returns one row for each of AllLayers, in its order. A type without samples is a compile error.
std::span<const LayerType> LayerTypes();
const LayerType* FindLayerType(std::string_view tag);  // nullptr when unknown

struct Member;  // nn/conf/members.h
// Returns the members of the layer, which point into `layer`.
std::vector<Member> MembersOf(LayerConf& layer);

std::string_view TagOf(const LayerConf& layer);
std::string_view NamePrefixOf(const LayerConf& layer);  // kNamePrefix of its type
// Returns the layer's name, "" if it has none yet.
const std::string& NameOf(const LayerConf& layer);
void SetName(LayerConf& layer, std::string name);
// Set and clear `frozen`. Do nothing for a layer without parameters.
void Freeze(LayerConf& layer);
void Unfreeze(LayerConf& layer);
bool IsFrozen(const LayerConf& layer);  // false for a layer without parameters
// Returns the names of what the layer reads. Empty means the layer before it.
const std::vector<std::string>& InputsOf(const LayerConf& layer);
void SetInputs(LayerConf& layer, std::vector<std::string> inputs);
// Returns the name of the layer whose weights it shares, or "".
const std::string& WeightsOwnerOf(const LayerConf& layer);
void SetWeightsOf(LayerConf& layer, std::string owner);
// Returns whether the layer sets keys of initialization, regularization or learning rate, or is
// frozen.
bool StatesWeightKeys(const LayerConf& layer);
int64_t MaxInputsOf(const LayerConf& layer);  // largest number of inputs
// Returns whether the layer accepts sequences of variable length.
bool TakesVariableLength(const LayerConf& layer);
// Returns whether the layer has a loss and so ends a model.
bool EndsModel(const LayerConf& layer);
LossConf& LossOf(LayerConf& layer);  // REQUIRES: EndsModel(layer)
// Returns the kind of input that the layer needs (nn/conf/layers/layer_base.h).
InputNeed NeedsOf(const LayerConf& layer);
// Returns the states that the layer carries between minibatches; none unless it is stateful.
std::vector<CarriedConf> CarriedOf(const LayerConf& layer);
// Returns the activation that is computed after the layer, or the identity. It is the identity for
// a simple_rnn, which applies its activation within each step, and for a prelu.
ActivationConf ActivationOf(const LayerConf& layer);

// The JSON has "type" and "name", then "inputs" and "weights_of" if stated, then the layer's own
// keys.
Json ToJson(const LayerConf& layer);
// Reads a layer. Does not check the values, which Sequential::Build does. Returns nullopt after a
// mistake. Mistakes are added to `errors` as lines with paths.
std::optional<LayerConf> LayerFromJson(const Json& json, const std::string& path,
                                       std::vector<std::string>& errors);

}  // namespace dl::nn
