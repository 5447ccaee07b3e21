// Evaluates checkpoints for the web server: figures with curves, and the worst mistakes.
#pragma once

#include <cstdint>
#include <list>
#include <string>

#include "base/json_fwd.h"
#include "base/status.h"
#include "inference/serving/loaded_models.h"
#include "rpc/service.h"
#include "web/model_service.h"

namespace dl::inference {

// Thread-safe. Only one evaluation or prediction with `shared` runs at a time. Keeps the last
// answers.
class CheckpointEvaluations {
 public:
  // An evaluation examines the first examples of the test set, in whole minibatches. It stops
  // before it would examine more examples, or need more floating-point operations, than these
  // limits. The first minibatch is always examined.
  static constexpr int64_t kMostExamples = 10'000;
  static constexpr double kMaxFlops = 2e11;
  static constexpr int64_t kMaxMatrixClasses = 256;  // larger confusion matrices are left out
  static constexpr size_t kMaxAnswers = 8;           // that are kept
  static constexpr int64_t kMaxAnswerBytes = int64_t{4} << 20;  // of all kept answers

  // `shared` must outlive this object.
  explicit CheckpointEvaluations(SharedModels& shared) : shared_(shared) {}

  // Returns the answer that web::ModelService::Evaluate describes, with its errors.
  StatusOr<std::string> Evaluate(rpc::ClientService& client, const web::EvaluationRequest& request)
      DL_EXCLUDES(shared_.mutex);

  // Returns the largest number of examples, at least 1, that is within both limits for this model.
  static int64_t MostExamples(const nn::ModelConfig& model);

 private:
  struct Answer {
    std::string key;
    std::string text;
  };
  StatusOr<Json> Compute(rpc::ClientService& client, const web::EvaluationRequest& request,
                         const LoadedCheckpoint& described) DL_REQUIRES(shared_.mutex);
  void Keep(Answer answer) DL_REQUIRES(shared_.mutex);

  SharedModels& shared_;
  std::list<Answer> answers_ DL_GUARDED_BY(shared_.mutex);  // the most recently used first
};

}  // namespace dl::inference
