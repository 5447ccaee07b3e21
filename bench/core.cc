// Measures the cost of events in the master's core alone, on this thread, with simulated executors
// and an engine that answers immediately. Nothing is stored.
//
// bench core [--executors N,...] [--jobs N,...] [--rounds N]: prints a JSON line for each number of
// executors and of running jobs. It has the microseconds of a step by kind of event, of a round,
// and of a round per executor; the longest step; and the process's resident memory at the end.
// Every executor has one slot. The jobs of a line together have as many workers as there are
// executors.
//
// bench core --ended N,...: measures a job of 60 rounds after N jobs have ended. Prints a JSON line
// for each N with the microseconds of a round and the resident memory.
//
// bench core --job-rounds N: measures one job of one worker that runs for N rounds. Prints a JSON
// line for each tenth with the microseconds of a round and the resident memory.
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "averaging/average.h"
#include "base/checksum.h"
#include "base/clock.h"
#include "base/json.h"
#include "bench/program.h"
#include "bench/programs.h"
#include "cli/flags.h"
#include "master/core/master_core.h"
#include "master/gateway/announcement_parsing.h"
#include "master/step_times.h"
#include "tests/support/process_figures.h"

namespace dl::bench {
namespace core_bench {
namespace {

constexpr Duration kBetweenHeartbeats = std::chrono::milliseconds(500);

double ResidentMib() {
  return static_cast<double>(test::ProcessStatus(getpid(), "VmRSS")) / (1 << 20);
}

struct Spent {
  int64_t steps = 0;
  Duration time{}, longest{};
  double Microseconds() const {
    return steps == 0 ? 0 : 1e6 * Seconds(time) / static_cast<double>(steps);
  }
};

// Returns the strategy of a model with one value.
std::shared_ptr<const averaging::Strategy> OneValue() {
  SegmentTable table;
  table.Add("w", SegmentKind::kParameter, {1});
  auto layout = averaging::StateLayout::Create(table, averaging::UpdaterStatePolicy::kAverage);
  DL_CHECK(layout.ok());
  return std::make_shared<averaging::Average>(*std::move(layout));
}

class Cluster {
 public:
  struct Size {
    int64_t executors = 1, jobs = 1, workers = 1;  // workers of each job
    int64_t epochs = 1;
  };
  explicit Cluster(const Size& size) : size_(size) {
    master::CoreOptions options;
    options.max_running_jobs = std::max<int64_t>(1, size.jobs);
    master::Output output;
    core_ = std::make_unique<master::Core>(options, master::RecoveredState{}, now_, output);
    Take(std::move(output));
    executors_.resize(size.executors);
    for (int64_t i = 0; i < size.executors; ++i) Join(i);
    for (int64_t i = 0; i < size.jobs; ++i) Submit(size.epochs);
  }
  // Submits another job.
  void Submit(int64_t epochs) {
    master::Submission submission{.request_id = absl::StrCat("request-", ++submitted_)};
    master::JobDefinition& definition = submission.definition;
    definition.name = "job";
    definition.plan = {.examples = size_.workers,
                       .workers = static_cast<int32_t>(size_.workers),
                       .batch_size = 1,
                       .averaging_frequency = 1};
    definition.epochs = epochs;
    definition.strategy = OneValue();
    definition.contribution_bytes = 4;
    definition.spec_sha256 = Sha256Hex(std::string("spec"));
    definition.example_hash_sum = static_cast<uint64_t>(size_.workers);
    definition.checkpoint = {.every_rounds = 1000, .every_epoch = false};
    Ask(submission, 0);
  }
  void RunToTheEnd() {
    while (!core_->jobs().empty()) Turn();
  }

  // Runs until every job has committed `rounds` more rounds.
  void RunRounds(int64_t rounds) {
    const int64_t until = committed_ + rounds * size_.jobs;
    while (committed_ < until) Turn();
  }
  void Forget() {
    spent_.clear();
    committed_ = 0;
  }
  int64_t committed() const { return committed_; }
  const std::map<std::string, Spent>& spent() const { return spent_; }

 private:
  struct Executor {
    uint64_t session = 0;
    bool asked = false;
    std::optional<rpc::Lease> lease;
    uint64_t sent = 0;  // number of the expectation, after the announcement
    Instant heard;
    uint64_t seen = 0;  // the last answer to a heartbeat
  };

  void Join(int64_t i) {
    rpc::RegisterRequest who{.executor = absl::StrCat("executor-", i), .incarnation = 1};
    who.slots = 1;
    who.contracts = {{"onednn-avx2", "avx2"}};
    Ask(who, static_cast<size_t>(i));
  }

  // Lets every executor do its next action.
  void Turn() {
    now_ = now_ + std::chrono::milliseconds(20);
    for (size_t i = 0; i < executors_.size(); ++i) {
      Executor& executor = executors_[i];
      if (now_ >= executor.heard + kBetweenHeartbeats) {
        executor.heard = now_;
        rpc::HeartbeatRequest heartbeat{.session = executor.session};
        heartbeat.notices_seen = executor.seen;
        if (executor.lease)
          heartbeat.running.push_back({executor.lease->unit, executor.lease->lease});
        Ask(heartbeat, i);
      }
      if (executor.lease) {
        Announce(i);
      } else if (!executor.asked) {
        executor.asked = true;
        Ask(rpc::LeaseRequest{.session = executor.session, .free_slots = 1, .wait_ms = 10'000}, i);
      }
    }
  }
  void Announce(size_t i) {
    Executor& executor = executors_[i];
    const rpc::Lease lease = *executor.lease;
    executor.lease.reset();
    nn::MetricSums metrics;
    metrics.AddLoss(1.0);
    rpc::AnnounceRequest said{.session = executor.session,
                              .lease = lease.lease,
                              .unit = lease.unit,
                              .base_sha256 = lease.base_sha256,
                              .hash = static_cast<uint64_t>(lease.unit.round),
                              .spec_sha256 = lease.spec_sha256,
                              .ticket = lease.ticket};
    said.bytes = 4;
    said.examples = said.steps = 1;
    said.example_hash_sum = 1;
    said.metrics = metrics.ToJson().dump();
    said.magnitudes = {1.0};
    Ask(master::ParseAnnouncement(std::move(said)), i);
  }

  template <typename Request>
  void Ask(Request request, size_t executor) {
    asking_[++token_] = executor;
    Step(master::Asked<Request>{token_, std::move(request)});
  }

  void Step(const master::Event& event) {
    master::Output output;
    const Duration before = ThreadTime();
    core_->Step(event, {.now = now_, .came = now_}, output);
    due_ = core_->NextDeadline();
    const Duration spent = ThreadTime() - before;
    for (const std::string& kind : {std::string(master::KindOf(event)), std::string("all")}) {
      Spent& of_kind = spent_[kind];
      ++of_kind.steps;
      of_kind.time += spent;
      of_kind.longest = std::max(of_kind.longest, spent);
    }
    Take(std::move(output));
  }

  void Take(master::Output output) {
    for (auto* effects : {&output.ahead, &output.effects}) {
      for (const master::Effect& effect : *effects)
        std::visit([this](const auto& e) { Do(e); }, effect);
    }
  }
  static master::StateNames NamesOf(const std::string& job, int64_t round) {
    const std::string name = Sha256Hex(absl::StrCat(job, "@", round));
    return {.state_sha256 = name, .parts = {{"model", name}}};
  }
  template <typename Ignored>
  void Do(const Ignored&) {}
  void Do(const master::Answer& answer) {
    const auto asked = asking_.find(answer.token);
    Executor& executor = executors_[asked->second];
    asking_.erase(asked);
    if (const auto* registered = std::get_if<rpc::RegisterReply>(&answer.reply)) {
      executor.session = registered->session;
      executor.heard = now_;
    } else if (const auto* heard = std::get_if<rpc::HeartbeatReply>(&answer.reply)) {
      executor.seen = heard->number;
    } else if (const auto* leases = std::get_if<rpc::LeaseReply>(&answer.reply)) {
      executor.asked = false;
      if (!leases->leases.empty()) executor.lease = leases->leases.front();
    }
  }
  void Do(const master::PrepareState& effect) {
    Step(master::StatePrepared{.job = effect.job,
                               .round = effect.round,
                               .number = effect.number,
                               .names = NamesOf(effect.job, effect.round)});
  }
  void Do(const master::ExpectContribution& effect) {
    const master::Job* job = core_->Find(effect.unit.job);
    const uint64_t holder = job->units.at(effect.unit.index).result.holder;
    Step(master::ContributionStaged{effect.unit, effect.number, holder});
  }
  void Do(const master::Merge& effect) {
    Step(master::RoundMerged{.job = effect.job,
                             .round = effect.round,
                             .merge = effect.number,
                             .names = NamesOf(effect.job, effect.round)});
    ++committed_;
  }
  void Do(const master::WriteCheckpoint& effect) {
    Step(master::CheckpointWritten{.job = effect.job,
                                   .round = effect.round,
                                   .state_sha256 = effect.state_sha256,
                                   .manifest = "{}"});
  }
  void Do(const master::ReleaseJob& effect) { Step(master::EndRecorded{effect.job, effect.end}); }

  const Size size_;
  Instant now_{1'000'000'000};
  Instant due_;
  std::unique_ptr<master::Core> core_;
  std::vector<Executor> executors_;
  std::map<uint64_t, size_t> asking_;  // the executor that waits for each answer
  uint64_t token_ = 0;
  int64_t committed_ = 0, submitted_ = 0;
  std::map<std::string, Spent> spent_;
};

void PrintCosts(int64_t executors, int64_t jobs, int64_t rounds) {
  Cluster cluster({.executors = executors,
                   .jobs = jobs,
                   .workers = std::max<int64_t>(1, executors / jobs),
                   .epochs = 1'000'000});
  cluster.RunRounds(3);  // warm-up: executors get their workers
  cluster.Forget();
  cluster.RunRounds(rounds);
  Json line = {{"bench", "core"}, {"executors", executors}, {"jobs", jobs}};
  for (const auto& [kind, spent] : cluster.spent()) {
    line["microseconds"][kind] = spent.Microseconds();
    line["longest_ms"][kind] = 1e3 * Seconds(spent.longest);
  }
  // Time of one round of all jobs.
  const double round = 1e6 * Seconds(cluster.spent().at("all").time) * static_cast<double>(jobs) /
                       static_cast<double>(cluster.committed());
  line["microseconds_a_round"] = round;
  line["microseconds_a_round_and_executor"] =
      round / static_cast<double>(std::max(executors, jobs));
  line["resident_mib"] = ResidentMib();
  std::cout << line.dump() << std::endl;
}

void RunOneJob(int64_t rounds) {
  Cluster cluster({.executors = 1, .jobs = 1, .workers = 1, .epochs = rounds + 1});
  cluster.RunRounds(10);
  for (int64_t tenth = 1; tenth <= 10; ++tenth) {
    cluster.Forget();
    cluster.RunRounds(rounds / 10);
    const double all = Seconds(cluster.spent().at("all").time);
    std::cout << Json{{"bench", "core"},
                      {"rounds", tenth * (rounds / 10)},
                      {"microseconds_a_round",
                       1e6 * all / static_cast<double>(cluster.committed())},
                      {"resident_mib", ResidentMib()}}
                     .dump()
              << std::endl;
  }
}

void RunBesideEnded(int64_t ended) {
  Cluster cluster({.executors = 1, .jobs = 0, .workers = 1});
  for (int64_t i = 0; i < ended; ++i) {
    cluster.Submit(1);
    cluster.RunToTheEnd();
  }
  cluster.Forget();
  cluster.Submit(60);
  cluster.RunToTheEnd();
  const double all = Seconds(cluster.spent().at("all").time);
  std::cout << Json{{"bench", "core"},
                    {"ended", ended},
                    {"microseconds_a_round", 1e6 * all / static_cast<double>(cluster.committed())},
                    {"resident_mib", ResidentMib()}}
                   .dump()
            << std::endl;
}

StatusOr<std::vector<int64_t>> Numbers(const std::string& list) {
  std::vector<int64_t> numbers;
  for (const std::string& text : std::vector<std::string>(absl::StrSplit(list, ','))) {
    int64_t number = 0;
    if (!absl::SimpleAtoi(text, &number) || number < 1)
      return InvalidArgument({.message = absl::StrCat("\"", text, "\" is not a number above 0")});
    numbers.push_back(number);
  }
  return numbers;
}

struct Options {
  std::string executors = "10,100,1000", jobs = "1,100", ended;
  int64_t rounds = 200, job_rounds = 0;
};

Status Run(const Options& options) {
  if (options.job_rounds > 0) {
    RunOneJob(options.job_rounds);
    return absl::OkStatus();
  }
  if (!options.ended.empty()) {
    DL_ASSIGN_OR_RETURN(const std::vector<int64_t> counts, Numbers(options.ended));
    for (const int64_t count : counts) RunBesideEnded(count);
    return absl::OkStatus();
  }
  DL_ASSIGN_OR_RETURN(const std::vector<int64_t> executor_counts, Numbers(options.executors));
  DL_ASSIGN_OR_RETURN(const std::vector<int64_t> job_counts, Numbers(options.jobs));
  for (const int64_t jobs : job_counts) {
    for (const int64_t executors : executor_counts) PrintCosts(executors, jobs, options.rounds);
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace core_bench

int RunCore(int argc, char** argv) {
  using namespace core_bench;
  Options options;
  cli::Flags flags("bench core", "What events cost the master's core");
  flags.Text("--executors", "N,...", options.executors, "So many executors");
  flags.Text("--jobs", "N,...", options.jobs, "So many running jobs");
  flags.Text("--ended", "N,...", options.ended, "One job behind so many that ended, instead");
  flags.Integer("--rounds", "N", options.rounds, "Rounds of each job that are measured", 1,
                INT64_MAX);
  flags.Integer("--job-rounds", "N", options.job_rounds, "One job of so many rounds instead", 10,
                INT64_MAX);
  return RunProgram(argc, argv, flags, [&] { return Run(options); });
}

}  // namespace dl::bench
