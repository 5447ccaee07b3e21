#include "web/api/model_routes.h"

#include <utility>

#include "web/api/file_response.h"

namespace dl::web {
namespace {

constexpr int64_t kMaxRowsBody = 8 << 20;  // bytes
constexpr int64_t kMaxSamples = 64;
constexpr int64_t kMaxMistakes = 100;
constexpr char kRowsSchema[] = R"json({
  "type": "object",
  "required": ["rows"],
  "additionalProperties": false,
  "properties": {
    "rows": {"type": "array", "minItems": 1, "maxItems": 1000,
             "items": {"type": ["object", "array"]},
             "description": "examples: objects by column, or lists of values"},
    "round": {"type": ["string", "integer"],
              "description": "round of a checkpoint: a number, best or last (last)"},
    "top_k": {"type": "integer", "minimum": 1,
              "description": "number of classes in an answer, the most probable first (1)"}
  }
})json";

Route DownloadRoute(rpc::ClientService& master, ModelService& models) {
  return {.method = "GET",
          .pattern = "/api/v1/jobs/{job}/checkpoints/{round}/model.safetensors",
          .rpc_method = "FetchCheckpoint",
          .about =
              "Download the model of a checkpoint; the headers Range, If-Range and "
              "If-None-Match are respected",
          .answers = AnswerKind::kDownload,
          .audited = "FetchCheckpoint",
          .answer = [&master, &models](const Call& call) -> StatusOr<HttpResponse> {
            DL_ASSIGN_OR_RETURN(ModelFile file, models.OpenSafetensors(master, call.Variable("job"),
                                                                       call.Variable("round")));
            return FileResponse(call.request, std::move(file));
          }};
}

Route PredictionRoute(rpc::ClientService& master, ModelService& models) {
  return {.method = "POST",
          .pattern = "/api/v1/jobs/{job}/predictions",
          .rpc_method = "FetchCheckpoint",
          .about = "Predict rows with a checkpoint",
          .document = "Predictions",
          .body_bytes = kMaxRowsBody,
          .body_schema = kRowsSchema,
          .long_body_remedy = "Send fewer rows, or write them to a file and use dl-submit predict",
          .computes = true,
          .audited = "Predict",
          .answer = [&master, &models](const Call& call) -> StatusOr<HttpResponse> {
            DL_ASSIGN_OR_RETURN(
                std::string text,
                models.Predict(master, {.job = call.Variable("job"), .body = call.request.body}));
            return JsonResponse(std::move(text));
          }};
}

Route EvaluationRoute(rpc::ClientService& master, ModelService& models) {
  return {.method = "GET",
          .pattern = "/api/v1/jobs/{job}/checkpoints/{round}/evaluation",
          .rpc_method = "FetchCheckpoint",
          .about =
              "Evaluate a checkpoint on the test set: figures, curves of ROC and of precision by "
              "recall, and the worst mistakes",
          .parameters = {{.name = "mistakes",
                          .type = Parameter::Type::kInteger,
                          .about = "most examples in the list of mistakes (32)",
                          .max = kMaxMistakes}},
          .document = "CheckpointEvaluation",
          .computes = true,
          .answer = [&master, &models](const Call& call) -> StatusOr<HttpResponse> {
            DL_ASSIGN_OR_RETURN(
                std::string text,
                models.Evaluate(master, {.job = call.Variable("job"),
                                         .round = call.Variable("round"),
                                         .mistakes = call.Integer("mistakes", 32)}));
            return JsonResponse(std::move(text));
          }};
}

Route SampleRoute(rpc::ClientService& master, ModelService& models) {
  constexpr auto kInteger = Parameter::Type::kInteger;
  return {.method = "GET",
          .pattern = "/api/v1/jobs/{job}/dataset/samples",
          .rpc_method = "Query",
          .about = "Show examples of the training set or the test set",
          .parameters = {{.name = "set", .about = "train or test (train)"},
                         {.name = "first",
                          .type = kInteger,
                          .about = "index of the first example in stored order (0)"},
                         {.name = "count",
                          .type = kInteger,
                          .about = "number of examples (16)",
                          .min = 1,
                          .max = kMaxSamples}},
          .document = "Samples",
          .computes = true,
          .answer = [&master, &models](const Call& call) -> StatusOr<HttpResponse> {
            DL_ASSIGN_OR_RETURN(std::string text,
                                models.Samples(master, {.job = call.Variable("job"),
                                                        .set = call.Text("set", "train"),
                                                        .first = call.Integer("first", 0),
                                                        .count = call.Integer("count", 16)}));
            return JsonResponse(std::move(text));
          }};
}

}  // namespace

std::vector<Route> ModelRoutes(rpc::ClientService& master, ModelService& models) {
  std::vector<Route> routes;
  routes.push_back(DownloadRoute(master, models));
  routes.push_back(PredictionRoute(master, models));
  routes.push_back(EvaluationRoute(master, models));
  routes.push_back(SampleRoute(master, models));
  return routes;
}

}  // namespace dl::web
