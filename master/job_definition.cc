#include "master/job_definition.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "averaging/job_strategy.h"
#include "base/checksum.h"
#include "base/json.h"
#include "base/limits.h"
#include "dataset/data_agreement.h"
#include "dataset/job_plan.h"
#include "dataset/manifest.h"
#include "dataset/target_normalizer.h"
#include "job/announced_figures.h"
#include "job/job_spec.h"
#include "job/unit_memory.h"
#include "job/validate.h"
#include "master/core/job/class_series.h"
#include "master/stored.h"
#include "nn/conf/caches_in_bits.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/losses/loss_registry.h"
#include "nn/conf/model_outputs.h"
#include "nn/conf/segments.h"
#include "rpc/remedy.h"

namespace dl::master {
namespace {

// Returns an error about a spec that names files, or numbers that an import finds.
Status NotImported(ErrorText text) {
  return rpc::AttachRemedy(InvalidArgument(std::move(text)),
                           {.kind = rpc::RemedyKind::kImportFirst});
}

// Parses the manifest. It must be the one that the spec names, and match the model.
StatusOr<dataset::Manifest> ReadManifest(const std::string& text, const job::DatasetSpec& dataset,
                                         const nn::ModelConfig& model, const std::string& where) {
  const auto* reference = std::get_if<job::ManifestReference>(&dataset);
  if (reference == nullptr) {
    return NotImported({.message = "the dataset is not imported", .where = where});
  }
  if (Sha256Hex(text) != reference->sha256) {
    return InvalidArgument(
        {.message = "the manifest does not match the hash in the job spec", .where = where});
  }
  // Parse only now: a manifest from an untrusted peer would take many times its size in memory.
  DL_ASSIGN_OR_RETURN(dataset::Manifest manifest, dataset::ManifestFromJson(text, where));
  nn::Mistakes mistakes;
  job::CheckModelAgainstData(model, dataset::SummaryOf(manifest.schema, manifest.examples), where,
                             mistakes);
  DL_RETURN_IF_ERROR(mistakes.ToStatus());
  return manifest;
}

std::string LayoutSha256(const SegmentTable& table, const Json& parts) {
  Json layout = Json::array({parts});
  for (const Segment& segment : table.segments())
    layout.push_back({segment.name, SegmentKindName(segment.kind), segment.shape});
  return Sha256Hex(layout.dump());
}

// Returns the parts of a state and the number of each.
Json PartsJson(const averaging::StateLayout& layout, int64_t workers) {
  Json parts;
  for (const averaging::PartLayout& part : layout.parts)
    parts[part.name] = part.scope == averaging::PartScope::kWorker ? workers : 1;
  return parts;
}

// Replaces initial values of the seed with the imported tensors.
Status TakeOver(const job::ImportedWeights& weights, const SegmentTable& table,
                const BlockReader& read_block, std::span<float> state) {
  const auto other_size = [] {
    return NotImported({.message = "the blocks do not match the sizes of the tensors",
                        .where = "initial_weights"});
  };
  std::string block;
  size_t next = 0, used = 0;  // number of blocks read, and bytes used of the current one
  for (const std::string& name : weights.tensors) {
    const Segment* segment = table.Find(name);
    DL_CHECK(segment != nullptr);  // the spec was checked
    const std::span<std::byte> values = std::as_writable_bytes(table.View(*segment, state));
    for (size_t done = 0; done < values.size();) {
      if (used == block.size()) {
        if (next == weights.blocks.size()) return other_size();
        DL_ASSIGN_OR_RETURN(block, read_block(weights.blocks[next++]));
        used = 0;
      }
      const size_t some = std::min(values.size() - done, block.size() - used);
      std::memcpy(values.data() + done, block.data() + used, some);
      done += some;
      used += some;
    }
  }
  const bool all = next == weights.blocks.size() && used == block.size();
  return all ? absl::OkStatus() : other_size();
}

}  // namespace

StatusOr<JobDefinition> DefinitionFromDocuments(const std::string& id, const std::string& spec_text,
                                                const std::string& train_manifest,
                                                const std::string& test_manifest) {
  DL_ASSIGN_OR_RETURN(job::JobSpec spec, job::JobFromText(spec_text, "job spec"));
  DL_ASSIGN_OR_RETURN(dataset::Manifest train,
                      ReadManifest(train_manifest, spec.data.train, spec.model, "data.train"));
  const std::vector<nn::ModelOutput> model_outputs = OutputsOf(spec.model);
  if (std::ranges::any_of(model_outputs, [](const nn::ModelOutput& output) {
        return WantsBalancedClasses(output.conf.loss);
      })) {
    return NotImported(
        {.message = "class_weights is \"balanced\", but must be a list of numbers here",
         .where = "model"});
  }
  if (std::holds_alternative<job::SafetensorsWeights>(spec.initial_weights)) {
    return NotImported({.message = "the weights that the job starts from are not imported",
                        .where = "initial_weights"});
  }
  const job::TrainingConfig& training = spec.training;
  JobDefinition definition;
  definition.id = id;
  definition.name = spec.name;
  definition.spec_sha256 = Sha256Hex(spec_text);
  definition.seed = spec.seed;
  definition.plan = dataset::TrainingPlan(training, train.examples);
  DL_RETURN_IF_ERROR(dataset::ValidatePlan(definition.plan));
  definition.epochs = training.epochs;
  // Metrics are announced for the last output.
  const nn::ModelOutput& counted = model_outputs.back();
  definition.counted_per_example = counted.CountedPerExample();
  if (LabelFormOf(model_outputs).owners > 1 && counted.HasClasses()) {
    definition.least_counted_per_example = 0;  // some or all examples may have no label for it
  } else if (counted.HasClassSequences() ||
             (!counted.type.variable_length && train.schema.mask_probability() == 0)) {
    definition.least_counted_per_example = counted.CountedPerExample();
  }
  DL_ASSIGN_OR_RETURN(definition.strategy, averaging::MakeStrategy(spec));
  const averaging::StateLayout& layout = definition.strategy->layout();
  definition.weights_layout = LayoutSha256(layout.model().table, Json());
  definition.state_layout = LayoutSha256(layout.unit, PartsJson(layout, training.workers));
  if (const auto* weights = std::get_if<job::ImportedWeights>(&spec.initial_weights))
    definition.weights_blocks = weights->blocks;
  definition.contribution_bytes = layout.unit.size() * static_cast<int64_t>(sizeof(float));
  definition.worker_bytes = layout.WorkerBytes();
  for (const averaging::PartLayout* part : layout.PartsWith(averaging::PartScope::kStrategy))
    definition.strategy_bytes += part->bytes();
  definition.example_hash_sum = train.example_hash_sum;
  job::DataShape test_shape;
  if (spec.data.test) {
    DL_ASSIGN_OR_RETURN(dataset::Manifest test,
                        ReadManifest(test_manifest, *spec.data.test, spec.model, "data.test"));
    DL_RETURN_IF_ERROR(dataset::CheckDatasets(spec, train, &test));
    definition.test_examples = test.examples;
    test_shape = dataset::DataShapeOf(test);
    const dataset::EvaluationPlanInput evaluation = dataset::EvaluationPlan(spec, test.examples);
    definition.examples_per_evaluation_unit = evaluation.batch_size * evaluation.batches_per_unit;
    definition.evaluate_every_epoch = training.evaluation.every_epoch;
  } else {
    if (!test_manifest.empty()) {
      return InvalidArgument({.message = "a test manifest is given, but the job has no test set",
                              .where = "data.test"});
    }
    DL_RETURN_IF_ERROR(dataset::CheckDatasets(spec, train, nullptr));
  }
  DL_RETURN_IF_ERROR(job::CheckWatchedScores(spec, definition.test_examples));
  const job::AnnouncedFigures figures = job::AnnouncedFiguresOf(spec, definition.test_examples);
  definition.evaluated_classes = figures.classes;
  definition.class_series =
      ClassSeriesNames(train.schema.ClassNamesAt(counted.first_label), figures.classes);
  definition.evaluated_numbers = figures.numbers;
  definition.evaluated_scores = figures.scores;
  const dataset::TargetScaler scaler(train.target_normalizer);
  for (int64_t o = 0; o < figures.numbers && !scaler.IsIdentity(); ++o)
    definition.number_units.push_back(scaler.UnitOf(counted.first_label + o));
  definition.unit_bytes = job::UnitMemoryOf(spec, dataset::DataShapeOf(train), test_shape).Total();
  definition.caches_in_bits =
      nn::CachesInBitsOf(spec.model, training.threads_per_worker, training.precision);
  definition.isa = training.isa;
  definition.kernels = training.kernels;
  definition.precision = training.precision;
  definition.lease = std::chrono::seconds(training.lease_seconds);
  definition.progress = std::chrono::seconds(training.progress_seconds);
  definition.verify_fraction = training.verify_fraction;
  definition.verify_executors.insert(training.verify_executors.begin(),
                                     training.verify_executors.end());
  definition.checkpoint = {.every_rounds = training.checkpoint.every_rounds,
                           .every = std::chrono::seconds(training.checkpoint.every_seconds),
                           .every_epoch = training.checkpoint.every_epoch,
                           .keep_last = training.checkpoint.keep_last,
                           .keep_best = training.checkpoint.keep_best};
  if (training.early_stopping) {
    definition.early_stopping = {.enabled = true,
                                 .metric = training.early_stopping->metric,
                                 .maximize = training.early_stopping->Maximizes(),
                                 .patience = training.early_stopping->patience,
                                 .min_delta = training.early_stopping->min_delta};
  }
  definition.histograms_every = training.statistics.every_rounds;
  if (definition.histograms_every > 0) {
    for (const nn::LayerConfig& layer : spec.model.layers)
      definition.layer_outputs.push_back({layer.name, layer.output.Elements()});
  }
  definition.learning_rate = nn::LearningRateOf(spec.model.updater);
  const int64_t epoch_steps = dataset::EpochSteps(definition.plan);
  definition.length = {.steps = training.epochs * epoch_steps, .epoch_steps = epoch_steps};
  if (const nn::Schedule& rate = definition.learning_rate; nn::FollowsAMetric(rate))
    definition.plateau = {.enabled = true, .patience = rate.patience, .min_delta = rate.min_delta};
  return definition;
}

StatusOr<JobMaterial> MaterialFromSpec(const std::string& spec_text, BlockReader read_block) {
  DL_ASSIGN_OR_RETURN(job::JobSpec spec, job::JobFromText(spec_text, "job spec"));
  JobMaterial material;
  DL_ASSIGN_OR_RETURN(material.strategy, averaging::MakeStrategy(spec));
  material.workers = spec.training.workers;
  material.histograms_every = spec.training.statistics.every_rounds;
  material.initial_state = [spec = std::move(spec),
                            read_block = std::move(read_block)]() -> StatusOr<std::vector<float>> {
    std::vector<float> state = nn::InitialState(spec.model, spec.seed, spec.training.batch_size);
    if (const auto* weights = std::get_if<job::ImportedWeights>(&spec.initial_weights)) {
      const SegmentTable table = nn::FullTable(spec.model, spec.training.batch_size);
      DL_RETURN_IF_ERROR(TakeOver(*weights, table, read_block, state));
    }
    return state;
  };
  return material;
}

StatusOr<std::vector<std::string>> BlocksOf(const std::string& train_manifest,
                                            const std::string& test_manifest) {
  std::vector<std::string> blocks;
  for (const std::string* text : {&train_manifest, &test_manifest}) {
    if (text->empty()) continue;
    DL_ASSIGN_OR_RETURN(dataset::Manifest manifest, dataset::ManifestFromJson(*text, "manifest"));
    for (const dataset::BlockInfo& block : manifest.blocks) blocks.push_back(block.sha256);
  }
  return blocks;
}

StatusOr<std::vector<std::string>> BlocksOfWeights(const std::string& stored) {
  DL_ASSIGN_OR_RETURN(const Json json, ParseStored(stored, "weights"));
  std::vector<std::string> blocks;
  if (!json.is_array()) return Damaged("is no list of blocks", "weights");
  for (const Json& block : json) {
    if (!block.is_string()) return Damaged("has an entry that names no block", "weights");
    blocks.push_back(block.get<std::string>());
  }
  return blocks;
}

}  // namespace dl::master
