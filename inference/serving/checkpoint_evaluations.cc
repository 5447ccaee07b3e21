#include "inference/serving/checkpoint_evaluations.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/limits.h"
#include "dataset/dataset.h"
#include "dataset/decoded_block_cache.h"
#include "inference/client_blocks.h"
#include "inference/evaluate.h"
#include "inference/serving/example_json.h"
#include "inference/serving/worst_mistakes.h"
#include "nn/conf/layer_table.h"
#include "rpc/messages.h"

namespace dl::inference {
namespace {

StatusOr<dataset::Manifest> TestManifest(rpc::ClientService& client, const std::string& job) {
  DL_ASSIGN_OR_RETURN(
      const rpc::QueryReply reply,
      client.Query({.what = rpc::QueryKind::kTestManifest, .job = job}, limits::kControlDeadline));
  return dataset::ManifestFromJson(reply.json, "test manifest");
}

// Returns the examples at these places, with what the model predicts for them.
StatusOr<Json> MistakesJson(const WorstMistakes& mistakes, const dataset::Dataset& data,
                            const std::vector<dataset::ExampleRef>& places) {
  const dataset::Manifest& manifest = data.manifest();
  std::vector<int64_t> begins;  // index of the first example of each block
  int64_t begin = 0;
  for (const dataset::BlockInfo& info : manifest.blocks) {
    begins.push_back(begin);
    begin += info.examples;
  }
  Json list = Json::array();
  for (size_t i = 0; i < places.size(); ++i) {
    const auto [block_index, offset] = places[i];
    DL_ASSIGN_OR_RETURN(const auto block, data.ReadBlock(block_index));
    Json one = ExampleJson(*block, manifest.schema, offset, web::SampleImages::kLeftOut);
    one["index"] = begins[block_index] + offset;
    one["loss"] = mistakes.worst()[i].loss;  // null if it is infinite
    one.update(mistakes.worst()[i].shown);
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace

int64_t CheckpointEvaluations::MostExamples(const nn::ModelConfig& model) {
  double flops = 1;
  for (const nn::LayerRow& row : nn::LayerTable(model)) flops += row.flops.nominal;
  return static_cast<int64_t>(
      std::clamp(kMaxFlops / flops, 1.0, static_cast<double>(kMostExamples)));
}

StatusOr<Json> CheckpointEvaluations::Compute(rpc::ClientService& client,
                                              const web::EvaluationRequest& request,
                                              const LoadedCheckpoint& described) {
  DL_ASSIGN_OR_RETURN(dataset::Manifest manifest, TestManifest(client, request.job));
  const int64_t all = manifest.examples;
  DL_ASSIGN_OR_RETURN(LoadedModel* const model, shared_.models.Get(described.name, all, client));
  ClientBlocks source(client);
  // The blocks of mistakes are read again.
  constexpr int64_t kCacheBytes = int64_t{64} << 20;
  DL_ASSIGN_OR_RETURN(
      const std::shared_ptr<const dataset::Dataset> data,
      dataset::Dataset::Create(std::move(manifest),
                               std::make_shared<dataset::DecodedBlockCache>(source, kCacheBytes)));
  WorstMistakes mistakes(model->spec.model, data->manifest(),
                         static_cast<size_t>(request.mistakes));
  std::shared_ptr<const dataset::EpochOrder> order;
  int64_t examined = 0;
  const auto visit = [&](const dataset::Minibatch& batch,
                         const std::shared_ptr<const dataset::EpochOrder>& of,
                         int64_t first) -> Status {
    if (shared_.stopping) return Unavailable({.message = "the server stops"});
    order = of;
    examined = first + batch.examples;
    return mistakes.Add(batch, model->network->LastPredictions(), first);
  };
  DL_ASSIGN_OR_RETURN(Json figures,
                      EvaluateExamples(model->spec, data, *model->network,
                                       {.max_matrix_classes = kMaxMatrixClasses,
                                        .max_examples = MostExamples(model->spec.model),
                                        .visit = visit}));
  if (model->weight_penalty) figures["weight_penalty"] = *model->weight_penalty;
  figures["kernel_contract"] = model->kernel_contract;
  std::vector<dataset::ExampleRef> places;
  for (const WorstMistakes::Mistake& mistake : mistakes.worst()) {
    const auto window = order->WindowAt(mistake.position);
    places.push_back(window->examples[static_cast<size_t>(mistake.position - window->first)]);
  }
  Json answer = {{"checkpoint", model->checkpoint},
                 {"state_sha256", model->state_sha256},
                 {"round", described.info.value("round", int64_t{0})},
                 {"set", "test"},
                 {"examples", all},
                 {"examined", examined},
                 {"figures", std::move(figures)}};
  if (mistakes.measure() == WorstMistakes::Measure::kNone) return answer;
  answer["measure"] = WorstMistakes::NameOf(mistakes.measure());
  if (const auto wrong = mistakes.wrong()) answer["wrong"] = *wrong;
  answer["columns"] = ColumnNames(data->manifest().schema);
  DL_ASSIGN_OR_RETURN(answer["mistakes"], MistakesJson(mistakes, *data, places));
  return answer;
}

void CheckpointEvaluations::Keep(Answer answer) {
  answers_.push_front(std::move(answer));
  int64_t bytes = 0;
  size_t kept = 0;
  for (auto it = answers_.begin(); it != answers_.end();) {
    bytes += std::ssize(it->text);
    const bool fits = bytes <= kMaxAnswerBytes && kept < kMaxAnswers;
    it = fits ? std::next(it) : answers_.erase(it);
    if (fits) ++kept;
  }
}

StatusOr<std::string> CheckpointEvaluations::Evaluate(rpc::ClientService& client,
                                                      const web::EvaluationRequest& request) {
  MutexLock lock(shared_.mutex);
  DL_ASSIGN_OR_RETURN(const LoadedCheckpoint described,
                      DescribeCheckpoint(absl::StrCat(request.job, "@", request.round),
                                         CheckpointContent::kModel, client));
  const std::string key =
      absl::StrCat(described.name, " ", described.state_sha256, " ", request.mistakes);
  const auto found = std::ranges::find(answers_, key, &Answer::key);
  if (found != answers_.end()) {
    answers_.splice(answers_.begin(), answers_, found);
    return answers_.front().text;
  }
  DL_ASSIGN_OR_RETURN(const Json answer, Compute(client, request, described));
  std::string text = JsonText(answer);
  Keep({.key = key, .text = text});
  return text;
}

}  // namespace dl::inference
