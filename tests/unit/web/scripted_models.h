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
  StatusOr<std::string> Samples(rpc::ClientService&, const SampleRequest& request) override {
    return absl::StrCat("{\"set\":\"", request.set, "\",\"first\":", request.first,
                        ",\"count\":", request.count, "}");
  }
  void Stop() override {}

 private:
  const std::string content_ = "0123456789";
};

}  // namespace dl::web
