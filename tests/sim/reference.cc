#include "tests/sim/reference.h"

#include "master/core/job/early_stopping.h"
#include "master/core/job/plateau.h"
#include "master/gateway/announcement_parsing.h"

namespace dl::sim {
namespace {

const std::string& At(const std::map<int64_t, std::string>& contracts, int64_t round) {
  return std::prev(contracts.upper_bound(round))->second;
}

nn::MetricSums MetricsOf(const Outcome& outcome) {
  return *nn::MetricSums::FromJson(Json::parse(outcome.announcement.metrics), "reference");
}

class Run {
 public:
  Run(const SimJob& job, const RunBasis& basis) : job_(job), basis_(basis) {
    reference_.states.push_back(basis.first ? *basis.first : FirstState(job));
    reference_.units.emplace_back();
    reference_.epoch_train.emplace_back();
    reference_.epoch_hash_sums.push_back(0);
  }

  Reference ToTheEnd() {
    for (int64_t round = 1; round <= rounds_ * job_.epochs; ++round) {
      if (!Train(round)) break;
      reference_.last_round = round;
      if (round % rounds_ != 0 || job_.test_examples == 0) continue;
      if (!job_.evaluate_every_epoch && round != rounds_ * job_.epochs) continue;
      if (Evaluate(round)) break;
    }
    return std::move(reference_);
  }

 private:
  // Returns false if a unit of the round cannot be computed.
  bool Train(int64_t round) {
    const State& before = reference_.states.back();
    const dataset::RoundPlan plan = dataset::PlanRound(job_.plan, (round - 1) % rounds_);
    std::vector<int64_t> weights;
    std::vector<Outcome> outcomes(plan.workers.size());
    std::vector<MergeInput> inputs;
    std::vector<master::CommittedUnit> units;
    const bool new_epoch = (round - 1) % rounds_ == 0;
    nn::MetricSums train = new_epoch ? nn::MetricSums() : reference_.epoch_train.back();
    uint64_t hash_sum = new_epoch ? 0 : reference_.epoch_hash_sums.back();
    averaging::GridExponents grid = MakeStrategy(job_)->EmptyGrid();
    for (int32_t m = 0; m < static_cast<int32_t>(plan.workers.size()); ++m) {
      const dataset::UnitPlan& unit = plan.workers[static_cast<size_t>(m)];
      weights.push_back(unit.range.examples);
      if (unit.steps == 0) continue;
      const UnitId id{"", UnitKind::kTrain, round, m};
      if (job_.Befalls(id)) {
        reference_.fate = job_.fate;
        return false;
      }
      Outcome& outcome = outcomes[static_cast<size_t>(m)];
      outcome = Compute(job_, id,
                        {BaseOf(job_, before, id), before.names.state_sha256,
                         At(basis_.trained_under, round), basis_.earlier_updates, plateaus_.count});
      averaging::RaiseGrid(grid, outcome.announcement.magnitudes);
      inputs.push_back({m, &outcome.bytes});
      units.push_back(
          {m, master::ParseAnnouncement(outcome.announcement).digest, unit.range.examples});
      DL_CHECK(train.Merge(MetricsOf(outcome)).ok());
      hash_sum += outcome.announcement.example_hash_sum;
    }
    auto after = MergeRound(job_, before, weights, inputs, grid);
    DL_CHECK(after.ok());
    reference_.states.push_back(*std::move(after));
    reference_.units.push_back(std::move(units));
    reference_.epoch_train.push_back(std::move(train));
    reference_.epoch_hash_sums.push_back(hash_sum);
    return true;
  }

  // Returns true if the job stops after this evaluation.
  bool Evaluate(int64_t round) {
    nn::MetricSums test;
    for (int32_t i = 0; i * kTestExamplesPerUnit < job_.test_examples; ++i) {
      const UnitId id{"", UnitKind::kEvaluate, round, i};
      const State& state = reference_.states.back();
      const Outcome part = Compute(
          job_, id,
          {BaseOf(job_, state, id), state.names.state_sha256, At(basis_.evaluated_under, round)});
      DL_CHECK(test.Merge(MetricsOf(part)).ok());
    }
    master::JobDefinition definition;
    definition.early_stopping = job_.early_stopping;
    const double judged = master::JudgedValue(definition, test);
    best_ = master::Judge(job_.early_stopping, best_, round, judged);
    plateaus_ = master::Follow(job_.plateau, job_.early_stopping, plateaus_, round, judged);
    reference_.tests.emplace(round, std::move(test));
    reference_.stops = master::ShouldStop(job_.early_stopping, best_);
    return reference_.stops;
  }

  const SimJob& job_;
  const RunBasis& basis_;
  const int64_t rounds_ = dataset::RoundsPerEpoch(job_.plan);
  master::BestSoFar best_;
  master::Plateaus plateaus_;
  Reference reference_;
};

}  // namespace

Reference RunWithoutFaults(const SimJob& job, const RunBasis& basis) {
  return Run(job, basis).ToTheEnd();
}

}  // namespace dl::sim
