#include "inference/serving/served_models.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "inference/serving/checkpoint_evaluations.h"
#include "inference/serving/example_samples.h"
#include "inference/serving/model_file.h"
#include "inference/serving/row_predictions.h"

namespace dl::inference {
namespace {

class Service final : public web::ModelService {
 public:
  explicit Service(Predictions predictions) : predictions_(predictions) {}

  StatusOr<web::ModelFile> OpenSafetensors(rpc::ClientService& master, const std::string& job,
                                           const std::string& round) override {
    return inference::OpenSafetensors(master, absl::StrCat(job, "@", round));
  }
  StatusOr<std::string> Predict(rpc::ClientService& master,
                                const web::PredictionRequest& request) override {
    if (predictions_ == Predictions::kOff) {
      return WithRemedy(MakesNone(),
                        absl::StrCat("Use dl-submit predict ", request.job, " --data FILE"));
    }
    return rows_.Predict(master, request);
  }
  StatusOr<std::string> Evaluate(rpc::ClientService& master,
                                 const web::EvaluationRequest& request) override {
    if (predictions_ == Predictions::kOff) {
      return WithRemedy(MakesNone(),
                        absl::StrCat("Use dl-submit evaluate ", request.job, "@", request.round));
    }
    return evaluations_.Evaluate(master, request);
  }
  StatusOr<std::string> Samples(rpc::ClientService& master,
                                const web::SampleRequest& request) override {
    return ExampleSamples(master, request);
  }
  StatusOr<std::string> Picture(rpc::ClientService& master,
                                const web::PictureRequest& request) override {
    return ExamplePicture(master, request);
  }
  void Stop() override { models_.stopping = true; }

 private:
  static Status MakesNone() {
    return MakeError(absl::StatusCode::kUnimplemented,
                     {.message = "this master makes no predictions (--no-predictions)"});
  }

  const Predictions predictions_;
  SharedModels models_;
  RowPredictions rows_{models_};
  CheckpointEvaluations evaluations_{models_};
};

}  // namespace

std::unique_ptr<web::ModelService> MakeModelService(Predictions predictions) {
  return std::make_unique<Service>(predictions);
}

}  // namespace dl::inference
