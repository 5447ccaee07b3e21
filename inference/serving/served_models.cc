#include "inference/serving/served_models.h"

#include <string>

#include "absl/strings/str_cat.h"
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
      return MakeError(
          absl::StatusCode::kUnimplemented,
          {.message = "this master makes no predictions (--no-predictions)",
           .remedy = absl::StrCat("Use dl-submit predict ", request.job, " --data FILE")});
    }
    return rows_.Predict(master, request);
  }
  StatusOr<std::string> Samples(rpc::ClientService& master,
                                const web::SampleRequest& request) override {
    return ExampleSamples(master, request);
  }
  void Stop() override { rows_.Stop(); }

 private:
  const Predictions predictions_;
  RowPredictions rows_;
};

}  // namespace

std::unique_ptr<web::ModelService> MakeModelService(Predictions predictions) {
  return std::make_unique<Service>(predictions);
}

}  // namespace dl::inference
