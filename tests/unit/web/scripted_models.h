// Models for tests of routes: a file with known bytes, and answers that repeat the request.
#pragma once

#include <string>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "web/model_service.h"

namespace dl::web {

class ScriptedModels final : public ModelService {
 public:
  StatusOr<ModelFile> OpenSafetensors(rpc::ClientService&, const std::string& job,
                                      const std::string& round) override {
    if (job != "mlp-1") return NotFound({.message = "no such job", .where = job});
    return ModelFile{.name = absl::StrCat(job, "@", round, ".safetensors"),
                     .version = "v1",
                     .bytes = std::ssize(content_),
                     .held_bytes = 10,
                     .write = [this](int64_t first, int64_t end, ByteSink sink) {
                       return sink(std::string_view(content_).substr(
                           static_cast<size_t>(first), static_cast<size_t>(end - first)));
                     }};
  }
  StatusOr<std::string> Predict(rpc::ClientService&, const PredictionRequest& request) override {
    return absl::StrCat("{\"job\":\"", request.job, "\",\"bytes\":", request.body.size(), "}");
  }
  StatusOr<std::string> Evaluate(rpc::ClientService&, const EvaluationRequest& request) override {
    DL_RETURN_IF_ERROR(refusal);
    if (!evaluation.empty()) return evaluation;
    return absl::StrCat("{\"job\":\"", request.job, "\",\"round\":\"", request.round,
                        "\",\"mistakes\":", request.mistakes, "}");
  }
  StatusOr<std::string> Picture(rpc::ClientService&, const PictureRequest& request) override {
    if (request.index < 0 || request.index >= 3)
      return InvalidArgument({.message = "no such example", .where = "first"});
    return absl::StrCat("PNG ", request.set, " ", request.index);
  }
  StatusOr<std::string> Samples(rpc::ClientService&, const SampleRequest& request) override {
    DL_RETURN_IF_ERROR(refusal);
    if (!samples.empty()) return samples;
    return absl::StrCat("{\"set\":\"", request.set, "\",\"first\":", request.first,
                        ",\"count\":", request.count, "}");
  }
  void Stop() override {}

  Status refusal;                   // of evaluations and samples
  std::string evaluation, samples;  // answers; empty: the request

 private:
  const std::string content_ = "0123456789";
};

}  // namespace dl::web
