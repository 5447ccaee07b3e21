// Predictions for rows of JSON, with models that stay loaded.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/mutex.h"
#include "base/status.h"
#include "inference/serving/loaded_models.h"
#include "rpc/service.h"
#include "web/model_service.h"

namespace dl::inference {

// Thread-safe; one prediction at a time.
class RowPredictions {
 public:
  static constexpr int64_t kMostRows = 1'000;
  static constexpr int64_t kMostAnswerBytes = int64_t{16} << 20;
  static constexpr int64_t kModelBytes = int64_t{512} << 20;  // of all loaded models

  // Returns {"checkpoint", "kernel_contract", "predictions"}. Each entry of "predictions" is a line
  // of `dl-submit predict --format jsonl`. Errors are those of web::ModelService::Predict.
  StatusOr<std::string> Predict(rpc::ClientService& client, const web::PredictionRequest& request)
      DL_EXCLUDES(mutex_);
  // Makes current and later calls return Unavailable soon.
  void Stop() { stopping_ = true; }

 private:
  std::atomic<bool> stopping_{false};
  Mutex mutex_;
  LoadedModels models_ DL_GUARDED_BY(mutex_){kModelBytes};
};

}  // namespace dl::inference
