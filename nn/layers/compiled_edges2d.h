// Compiles the layers of nn/conf/layers/edges2d.h.
#pragma once

#include <memory>

#include "nn/conf/input_type.h"
#include "nn/conf/layers/edges2d.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// Both read images of type `input`.
std::unique_ptr<CompiledLayer> CompileZeroPad2D(const Edges& edges, const InputType& input);
std::unique_ptr<CompiledLayer> CompileCrop2D(const Edges& edges, const InputType& input);

}  // namespace dl::nn
