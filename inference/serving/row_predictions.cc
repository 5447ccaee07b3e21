#include "inference/serving/row_predictions.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/json.h"
#include "base/limits.h"
#include "inference/predict.h"
#include "inference/prediction_writer.h"
#include "inference/serving/json_rows.h"
#include "inference/unknown_json.h"

namespace dl::inference {
namespace {

struct Question {
  Json rows;
  std::string round = "last";
  int64_t top_k = 1;
};

StatusOr<Question> QuestionOf(const std::string& body) {
  DL_ASSIGN_OR_RETURN(Json json, ParseJson(body, "body"));
  JsonObjectReader reader(json, "");
  Question question;
  reader.Require("rows");
  const Json* const rows = reader.Child("rows");
  if (rows != nullptr && (!rows->is_array() || rows->empty()))
    reader.AddError("rows", "must be a list with at least one row");
  reader.Int("top_k", question.top_k, {.min = 1, .max = limits::kMaxClasses});
  if (const Json* round = reader.Child("round")) {
    if (round->is_string()) question.round = round->get<std::string>();
    if (round->is_number_integer()) question.round = round->dump();
    if (!round->is_string() && !round->is_number_integer())
      reader.AddError("round", "must be a number, \"best\" or \"last\"");
  }
  DL_RETURN_IF_ERROR(reader.Finish());
  if (static_cast<int64_t>(rows->size()) > RowPredictions::kMaxRows) {
    return InvalidArgument(
        {.message = absl::StrCat("the body has ", rows->size(), " rows, more than the ",
                                 RowPredictions::kMaxRows, " of a request"),
         .where = "rows",
         .remedy = "Send fewer rows, or write them to a file and use dl-submit predict"});
  }
  question.rows = std::move(json["rows"]);
  return question;
}

}  // namespace

StatusOr<std::string> RowPredictions::Predict(rpc::ClientService& client,
                                              const web::PredictionRequest& request) {
  DL_ASSIGN_OR_RETURN(const Question question, QuestionOf(request.body));
  MutexLock lock(shared_.mutex);
  DL_ASSIGN_OR_RETURN(LoadedModel* const model,
                      shared_.models.Get(absl::StrCat(request.job, "@", question.round),
                                         static_cast<int64_t>(question.rows.size()), client));
  std::vector<dataset::UnknownCategories> unknown;
  DL_ASSIGN_OR_RETURN(const dataset::ExampleTable table,
                      TableOfRows(question.rows, model->training.schema, &unknown));
  const PredictionForm form =
      FormOfPredictions(model->spec.model, model->training.schema,
                        {.kind = PredictionForm::Kind::kJsonLines, .top_k = question.top_k});
  const std::vector<std::string> no_files;
  DL_ASSIGN_OR_RETURN(
      PredictionWriter writer,
      PredictionWriter::Create(
          {.model = model->spec.model, .form = form, .table = table, .files = no_files}));
  std::string lines;
  const auto add = [&](std::string_view text) -> Status {
    if (std::ssize(lines) + std::ssize(text) <= kMaxAnswerBytes) {
      lines += text;
      return absl::OkStatus();
    }
    return InvalidArgument(
        {.message = absl::StrCat("the predictions have more than ", kMaxAnswerBytes, " bytes"),
         .remedy = "Send fewer rows, or write them to a file and use dl-submit predict"});
  };
  const PredictOptions options{.normalizer = &model->training.normalizer,
                               .target_normalizer = &model->training.target_normalizer,
                               .visit = [&](const PredictedBatch& batch) -> Status {
                                 if (shared_.stopping)
                                   return Unavailable({.message = "the server stops"});
                                 return writer.Write(batch, add);
                               }};
  const int64_t batch =
      std::min<int64_t>(model->spec.training.evaluation.batch_size, std::ssize(question.rows));
  DL_RETURN_IF_ERROR(PredictWith(*model->network, batch, table, options));
  if (lines.ends_with('\n')) lines.pop_back();
  // As in the summary of dl-submit predict --json, the key is absent if there is no such column.
  const std::string unknown_values =
      unknown.empty() ? "" : absl::StrCat(",\"unknown_values\":", JsonText(UnknownJson(unknown)));
  return absl::StrCat("{\"checkpoint\":", JsonText(Json(model->checkpoint)),
                      ",\"kernel_contract\":", JsonText(Json(model->kernel_contract)),
                      unknown_values, ",\"predictions\":[",
                      absl::StrReplaceAll(lines, {{"\n", ","}}), "]}");
}

}  // namespace dl::inference
