// The implementation of web::ModelService.
#pragma once

#include <cstdint>
#include <memory>

#include "web/model_service.h"

namespace dl::inference {

enum class Predictions : uint8_t { kOn, kOff };

// With kOff, Predict and Evaluate return Unimplemented.
std::unique_ptr<web::ModelService> MakeModelService(Predictions predictions);

}  // namespace dl::inference
