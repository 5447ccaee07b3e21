#include "tests/sim/sim_job.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "averaging/average.h"
#include "averaging/moving_average.h"
#include "averaging/outer.h"
#include "base/checksum.h"
#include "base/json.h"
#include "base/part_name.h"

namespace dl::sim {
namespace {

uint64_t Mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Sets the state's names.
void NameState(const averaging::StateLayout& layout, State& state) {
  state.names = {};
  for (const averaging::PartLayout& part : layout.parts) {
    for (int64_t m = 0;; ++m) {
      const auto found = state.parts.find(part.KeyOf(m));
      if (found == state.parts.end()) break;
      state.names.parts.emplace(found->first, PartSha256(part.table, found->second));
      if (part.scope != averaging::PartScope::kWorker) break;
    }
  }
  state.names.state_sha256 = StateSha256(state.names.parts);
}

// Returns the vector from which the units of the first round start.
Vector FirstUnit(const SimJob& job, const averaging::StateLayout& layout) {
  Vector unit(static_cast<size_t>(layout.unit.size()), 0.0f);
  RandomStream random({.seed = job.seed, .purpose = RandomPurpose::kInitialize});
  for (const averaging::PartLayout& part : layout.parts) {
    if (part.scope != averaging::PartScope::kGlobal) continue;
    for (int64_t i = 0; i < part.table.size(); ++i)
      unit[static_cast<size_t>(part.offset + i)] = static_cast<float>(random.NextDouble());
  }
  return unit;
}

// Returns the parts of a contribution that only its worker keeps, by key.
std::map<std::string, Vector> KeptOf(const averaging::StateLayout& layout, int32_t worker,
                                     const Vector& contribution) {
  std::map<std::string, Vector> kept;
  for (const averaging::PartLayout* part : layout.PartsWith(averaging::PartScope::kWorker)) {
    const std::span<const float> own = part->In(contribution);
    kept.emplace(part->KeyOf(worker), Vector(own.begin(), own.end()));
  }
  return kept;
}

uint64_t ExampleHash(const SimJob& job, int64_t position) {
  return Mix(job.seed * 31 + static_cast<uint64_t>(position) + 1);
}

void AddExample(uint64_t hash, nn::MetricSums& sums) {
  sums.AddLoss(static_cast<double>(hash % 4096) / 1024.0);
  sums.AddPrediction(static_cast<int64_t>(hash % 3), static_cast<int64_t>((hash >> 8) % 3));
}

}  // namespace

std::string ContractOf(const std::string& isa) { return isa == "avx512" ? "sim/2" : "sim/1"; }

SimJob RandomJob(RandomStream& random) {
  SimJob job;
  job.seed = random.NextU64() >> 2;
  job.plan = {.examples = static_cast<int64_t>(1 + random.Bounded(40)),
              .workers = static_cast<int64_t>(1 + random.Bounded(5)),
              .batch_size = static_cast<int64_t>(1 + random.Bounded(4)),
              .averaging_frequency = static_cast<int64_t>(1 + random.Bounded(3))};
  job.epochs = static_cast<int64_t>(1 + random.Bounded(6));
  job.lease =
      std::chrono::milliseconds(random.Bounded(2) == 0 ? 10'000 : 1'200 + random.Bounded(3000));
  job.policy = static_cast<averaging::UpdaterStatePolicy>(1 + random.Bounded(3));
  job.outer = random.Bounded(2) == 0;
  job.ema = job.seed % 4 == 0;
  if (random.Bounded(2) == 0) {
    job.test_examples = static_cast<int64_t>(1 + random.Bounded(12));
    job.early_stopping.enabled = random.Bounded(2) == 0;
    job.early_stopping.maximize = random.Bounded(2) == 0;
    job.early_stopping.metric = job.early_stopping.maximize ? "accuracy" : "loss";
    job.early_stopping.patience = 1;
    job.evaluate_every_epoch = job.early_stopping.enabled || random.Bounded(2) == 0;
    job.plateau = {.enabled = job.evaluate_every_epoch && job.seed % 3 == 0, .patience = 1};
  }
  if (random.Bounded(4) == 0) job.verify_fraction = random.Bounded(2) == 0 ? 1.0 : 0.3;
  job.checkpoint.every_rounds = static_cast<int64_t>(random.Bounded(4));
  job.checkpoint.every = std::chrono::seconds(random.Bounded(3));
  job.checkpoint.every_epoch = random.Bounded(2) == 0;
  job.checkpoint.keep_last = static_cast<int64_t>(1 + random.Bounded(3));
  job.checkpoint.keep_best = static_cast<int64_t>(random.Bounded(2));
  job.histograms_every = static_cast<int64_t>(job.seed / 16 % 4);
  return job;
}

std::string SpecOf(const SimJob& job) {
  return Json{
      {"name", job.name},
      {"seed", job.seed},
      {"plan",
       {job.plan.examples, job.plan.workers, job.plan.batch_size, job.plan.averaging_frequency}},
      {"epochs", job.epochs},
      {"policy", static_cast<int>(job.policy)},
      {"outer", job.outer},
      {"ema", job.ema},
      {"test_examples", job.test_examples},
      {"evaluate_every_epoch", job.evaluate_every_epoch},
      {"verify_fraction", job.verify_fraction},
      {"lease", job.lease.count()},
      {"unit_bytes", job.unit_bytes},
      {"histograms_every", job.histograms_every},
      {"isa", job.isa},
      {"portable", job.portable},
      {"fate", {static_cast<int>(job.fate), job.fate_round, job.fate_worker}},
      {"checkpoint",
       {job.checkpoint.every_rounds, job.checkpoint.every.count(),
        job.checkpoint.every_epoch ? 1 : 0, job.checkpoint.keep_last, job.checkpoint.keep_best}},
      {"early_stopping",
       {{"enabled", job.early_stopping.enabled},
        {"maximize", job.early_stopping.maximize},
        {"metric", job.early_stopping.metric},
        {"patience", job.early_stopping.patience}}},
      {"plateau", job.plateau.enabled}}
      .dump();
}

SimJob JobFromSpec(const std::string& spec) {
  const Json json = Json::parse(spec);
  SimJob job;
  job.name = json["name"];
  job.seed = json["seed"];
  job.plan = {json["plan"][0], json["plan"][1], json["plan"][2], json["plan"][3]};
  job.epochs = json["epochs"];
  job.policy = static_cast<averaging::UpdaterStatePolicy>(json["policy"].get<int>());
  job.outer = json["outer"];
  job.ema = json["ema"];
  job.test_examples = json["test_examples"];
  job.evaluate_every_epoch = json["evaluate_every_epoch"];
  job.verify_fraction = json["verify_fraction"];
  job.lease = Duration(json["lease"].get<int64_t>());
  job.unit_bytes = json["unit_bytes"].get<int64_t>();
  job.histograms_every = json["histograms_every"];
  job.isa = json["isa"];
  job.portable = json["portable"];
  job.fate = static_cast<SimJob::Fate>(json["fate"][0].get<int>());
  job.fate_round = json["fate"][1];
  job.fate_worker = json["fate"][2];
  const Json& checkpoint = json["checkpoint"];
  job.checkpoint = {.every_rounds = checkpoint[0],
                    .every = Duration(checkpoint[1].get<int64_t>()),
                    .every_epoch = checkpoint[2] == 1,
                    .keep_last = checkpoint[3],
                    .keep_best = checkpoint[4]};
  const Json& early = json["early_stopping"];
  job.early_stopping.enabled = early["enabled"];
  job.early_stopping.maximize = early["maximize"];
  job.early_stopping.metric = early["metric"];
  job.early_stopping.patience = early["patience"];
  job.plateau = {.enabled = json["plateau"], .patience = 1};
  return job;
}

StatusOr<master::JobMaterial> MaterialOf(const std::string& spec) {
  const SimJob job = JobFromSpec(spec);
  master::JobMaterial material{.strategy = MakeStrategy(job),
                               .workers = job.plan.workers,
                               .histograms_every = job.histograms_every};
  material.initial_state = [job, strategy = material.strategy]() -> StatusOr<std::vector<float>> {
    return FirstUnit(job, strategy->layout());
  };
  return material;
}

StatusOr<master::JobDefinition> DefinitionOf(const std::string& id, const std::string& spec,
                                             const std::string&, const std::string&) {
  const SimJob job = JobFromSpec(spec);
  master::JobDefinition definition;
  definition.strategy = MakeStrategy(job);
  const averaging::StateLayout& layout = definition.strategy->layout();
  definition.id = id;
  definition.name = job.name;
  definition.spec_sha256 = Sha256Hex(spec);
  definition.seed = job.seed;
  definition.plan = job.plan;
  definition.epochs = job.epochs;
  definition.isa = job.isa;
  definition.kernels = job.portable ? nn::KernelSet::kPortable : nn::KernelSet::kNative;
  definition.weights_layout = "w, b, bn";
  definition.state_layout = absl::StrCat(
      static_cast<int>(job.policy), "/", std::string(definition.strategy->name()), "/",
      job.ema ? "ema/" : "",
      job.policy == averaging::UpdaterStatePolicy::kKeep ? job.plan.workers : int64_t{0});
  definition.contribution_bytes = layout.unit.size() * static_cast<int64_t>(sizeof(float));
  definition.worker_bytes = layout.WorkerBytes();
  definition.unit_bytes = job.unit_bytes;
  for (int64_t p = 0; p < job.plan.examples; ++p)
    definition.example_hash_sum += ExampleHash(job, p);
  definition.test_examples = job.test_examples;
  definition.evaluate_every_epoch = job.evaluate_every_epoch;
  definition.examples_per_evaluation_unit = kTestExamplesPerUnit;
  definition.verify_fraction = job.verify_fraction;
  definition.lease = job.lease;
  definition.checkpoint = job.checkpoint;
  definition.early_stopping = job.early_stopping;
  definition.plateau = job.plateau;
  definition.histograms_every = job.histograms_every;
  definition.layer_outputs = {{"w", 4}, {"b", 3}};
  return definition;
}

std::shared_ptr<const averaging::Strategy> MakeStrategy(const SimJob& job) {
  SegmentTable table;
  table.Add("w", SegmentKind::kParameter, {4});
  table.Add("b", SegmentKind::kParameter, {3});
  table.Add("bn.mean", SegmentKind::kMean, {2});
  table.Add("bn.var", SegmentKind::kVariance, {2});
  table.Add("w/momentum", SegmentKind::kUpdater, {4});
  table.Add("b/momentum", SegmentKind::kUpdater, {3});
  auto layout = averaging::StateLayout::Create(std::move(table), job.policy);
  DL_CHECK(layout.ok());
  std::shared_ptr<const averaging::Strategy> strategy;
  if (job.outer) {
    strategy = std::make_shared<averaging::Outer>(
        *std::move(layout), averaging::OuterStep{.learning_rate = 0.75, .momentum = 0.5});
  } else {
    strategy = std::make_shared<averaging::Average>(*std::move(layout));
  }
  if (job.ema) strategy = std::make_shared<averaging::MovingAverage>(std::move(strategy), 0.75);
  return strategy;
}

std::span<const std::byte> BytesOf(const Vector& vector) {
  return std::as_bytes(std::span(vector));
}

State FirstState(const SimJob& job) {
  const auto strategy = MakeStrategy(job);
  const averaging::StateLayout& layout = strategy->layout();
  const Vector unit = FirstUnit(job, layout);
  State state;
  for (const averaging::PartLayout& part : layout.parts) {
    Vector values(static_cast<size_t>(part.table.size()), 0.0f);
    if (part.scope != averaging::PartScope::kStrategy) {
      const std::span<const float> own = part.In(unit);
      values.assign(own.begin(), own.end());
    }
    const int64_t count = part.scope == averaging::PartScope::kWorker ? job.plan.workers : 1;
    for (int64_t m = 0; m < count; ++m) state.parts.emplace(part.KeyOf(m), values);
  }
  state.parts.at(layout.evaluated().name) = state.parts.at(layout.model().name);
  NameState(layout, state);
  return state;
}

Base BaseOf(const SimJob& job, const State& state, const UnitId& unit) {
  Base base;
  const auto strategy = MakeStrategy(job);
  const averaging::StateLayout& layout = strategy->layout();
  if (unit.kind == UnitKind::kEvaluate)
    return {{layout.model().name, state.parts.at(layout.evaluated().name)}};
  for (const averaging::PartLayout& part : layout.parts) {
    if (part.scope == averaging::PartScope::kStrategy) continue;
    base.emplace(part.name, state.parts.at(part.KeyOf(unit.index)));
  }
  return base;
}

// Computes the state as master/merge/state_source.cc does.
State StateFrom(const SimJob& job, const State& checkpoint, TakenOver what) {
  State state = checkpoint;
  if (what == TakenOver::kWeights) {
    state = FirstState(job);
    for (auto& [key, part] : state.parts) std::fill(part.begin(), part.end(), 0.0f);
    const auto strategy = MakeStrategy(job);
    const averaging::StateLayout& layout = strategy->layout();
    const auto average = checkpoint.parts.find("ema");
    const Vector& taken = average != checkpoint.parts.end()
                              ? average->second
                              : checkpoint.parts.at(layout.model().name);
    for (const averaging::PartLayout* part : {&layout.model(), &layout.evaluated()})
      state.parts.at(part->name) = taken;
  }
  NameState(MakeStrategy(job)->layout(), state);
  return state;
}

Computed ComputeUnit(const SimJob& job, const UnitId& unit, const UnitStart& start) {
  const auto& [base, base_sha256, contract, earlier_updates, plateaus] = start;
  uint64_t of_base = Xxh3(contract);
  for (const auto& [name, part] : base) of_base = Mix(of_base ^ Xxh3(BytesOf(part)) ^ Xxh3(name));
  const bool counts = unit.kind == UnitKind::kTrain;  // evaluation uses no updater
  const uint64_t updates =
      counts ? Mix(static_cast<uint64_t>(earlier_updates)) ^ Mix(~static_cast<uint64_t>(plateaus))
             : 0;
  RandomStream random({.seed = job.seed ^ of_base ^ updates,
                       .purpose = RandomPurpose::kForTests,
                       .a = static_cast<uint64_t>(unit.kind),
                       .b = static_cast<uint64_t>(unit.round),
                       .c = static_cast<uint64_t>(unit.index)});
  Computed computed;
  if (unit.kind == UnitKind::kEvaluate) {
    computed.examples =
        std::min(kTestExamplesPerUnit, job.test_examples - unit.index * kTestExamplesPerUnit);
    for (int64_t i = 0; i < computed.examples; ++i) AddExample(random.NextU64(), computed.metrics);
    return computed;
  }
  const auto strategy = MakeStrategy(job);
  const averaging::StateLayout& layout = strategy->layout();
  computed.bytes.resize(static_cast<size_t>(layout.unit.size()));
  for (const auto& [name, part] : base)
    std::copy(part.begin(), part.end(), computed.bytes.begin() + layout.Find(name)->offset);
  const int scale = static_cast<int>(random.Bounded(9)) - 4;
  for (float& value : computed.bytes) {
    value = value * 0.75f + static_cast<float>(std::ldexp(random.NextDouble() - 0.5, scale));
  }
  for (const Segment& segment : layout.unit.segments()) {
    if (segment.kind != SegmentKind::kVariance) continue;
    for (float& value : layout.unit.View(segment, std::span<float>(computed.bytes)))
      value = std::fabs(value);
  }
  strategy->MakeContribution(base.at(layout.model().name), computed.bytes);
  const int64_t rounds = dataset::RoundsPerEpoch(job.plan);
  const dataset::UnitPlan plan = dataset::PlanUnit(job.plan, (unit.round - 1) % rounds, unit.index);
  for (int64_t i = 0; i < plan.range.examples; ++i) {
    computed.example_hash_sum += ExampleHash(job, plan.range.first + i);
    AddExample(random.NextU64(), computed.metrics);
  }
  computed.examples = plan.range.examples;
  computed.steps = plan.steps;
  return computed;
}

Outcome Compute(const SimJob& job, const UnitId& unit, const UnitStart& start) {
  Computed computed = ComputeUnit(job, unit, start);
  Outcome outcome{.announcement = {.unit = unit,
                                   .base_sha256 = start.base_sha256,
                                   .examples = computed.examples,
                                   .steps = computed.steps,
                                   .example_hash_sum = computed.example_hash_sum,
                                   .metrics = computed.metrics.ToJson().dump()},
                  .bytes = std::move(computed.bytes)};
  rpc::AnnounceRequest& announcement = outcome.announcement;
  if (unit.kind == UnitKind::kEvaluate) {
    announcement.hash = Xxh3(announcement.metrics);
    return outcome;
  }
  const auto strategy = MakeStrategy(job);
  announcement.hash = Xxh3(BytesOf(outcome.bytes));
  announcement.bytes = static_cast<int64_t>(outcome.bytes.size() * sizeof(float));
  auto magnitudes = strategy->Measure(outcome.bytes);
  DL_CHECK(magnitudes.ok());
  announcement.magnitudes = *std::move(magnitudes);
  for (const averaging::PartLayout* part :
       strategy->layout().PartsWith(averaging::PartScope::kWorker)) {
    announcement.parts.push_back({part->name, PartSha256(part->table, part->In(outcome.bytes))});
  }
  return outcome;
}

StatusOr<State> MergeRound(const SimJob& job, const State& before,
                           const std::vector<int64_t>& examples,
                           const std::vector<MergeInput>& inputs,
                           const averaging::GridExponents& exponents) {
  const auto strategy = MakeStrategy(job);
  averaging::RoundMean mean(strategy->layout());
  DL_ASSIGN_OR_RETURN(averaging::Weights weights, strategy->WeightsOf(examples));
  DL_RETURN_IF_ERROR(mean.Open({.weights = std::move(weights), .grid = exponents}));
  std::map<std::string, Vector> kept;
  for (const MergeInput& input : inputs) {
    DL_RETURN_IF_ERROR(mean.Accumulate(input.worker, *input.bytes));
    kept.merge(KeptOf(strategy->layout(), input.worker, *input.bytes));
  }
  State after = before;
  averaging::PartViews base;
  averaging::PartBuffers next;
  std::vector<std::span<float>> global;
  for (const averaging::PartLayout& part : strategy->layout().parts) {
    if (part.scope == averaging::PartScope::kWorker) continue;
    base.emplace(part.name, before.parts.at(part.name));
    next.emplace(part.name, after.parts.at(part.name));
    if (part.scope == averaging::PartScope::kGlobal) global.push_back(after.parts.at(part.name));
  }
  DL_RETURN_IF_ERROR(mean.Close(global));
  DL_RETURN_IF_ERROR(strategy->Advance(base, next));
  for (const auto& [key, part] : kept) after.parts.at(key) = part;
  NameState(strategy->layout(), after);
  return after;
}

}  // namespace dl::sim
