// Predictions for rows of JSON, with models that stay loaded.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "inference/serving/loaded_models.h"
#include "rpc/service.h"
#include "web/model_service.h"

namespace dl::inference {

// Thread-safe. Only one prediction or evaluation with `shared` runs at a time.
class RowPredictions {
 public:
  // `shared` must outlive this object.
  explicit RowPredictions(SharedModels& shared) : shared_(shared) {}

  static constexpr int64_t kMaxRows = 1'000;                     // of a request
  static constexpr int64_t kMaxAnswerBytes = int64_t{16} << 20;  // of its predictions

  // Returns {"checkpoint", "kernel_contract", "predictions"}, and "unknown_values" (UnknownJson) if
  // rows have unknown categories. Each entry of "predictions" is a line of `dl-submit predict
  // --format jsonl`. Errors are those of web::ModelService::Predict.
  StatusOr<std::string> Predict(rpc::ClientService& client, const web::PredictionRequest& request)
      DL_EXCLUDES(shared_.mutex);

 private:
  SharedModels& shared_;
};

}  // namespace dl::inference
