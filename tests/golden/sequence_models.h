// Networks of sequences in the table of bits.
#pragma once

#include <cstdint>

#include "nn/conf/layer_config.h"
#include "nn/conf/model_config.h"

namespace dl::test {

// An LSTM after an embedding of 40 values. The inner dimension of its products, steps by examples,
// is longer than one block of a matrix product.
nn::ModelConfig Recurrent(int64_t steps, int64_t units);

// A layer between an embedding and an output of every step. RMS normalization follows the layer.
nn::ModelConfig Recurrent(int64_t steps, nn::LayerConf layer);

// Dropout of states in both directions, and in both forms of a GRU.
nn::ModelConfig DroppingStates();

nn::ModelConfig Transformer(int64_t steps, int64_t width, int64_t heads);

// A block of a transformer and an output of every step, for sequences whose lengths differ.
// Training computes the last layers only for the real steps.
nn::ModelConfig Encoder();

// Sequences of two lengths pass through the same weights; the first attends to the second.
nn::ModelConfig Decoder();

// Dropout of the weights of both kinds of attention.
nn::ModelConfig DroppingAttention();

// Convolutions and pooling over steps.
nn::ModelConfig OverSteps();

// Batch normalization, convolutions and pooling over sequences whose lengths differ.
nn::ModelConfig OverRealSteps();

}  // namespace dl::test
