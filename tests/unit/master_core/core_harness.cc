#include "tests/unit/master_core/core_harness.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "master/core/keys.h"
#include "master/history.h"
#include "master/log_reading.h"
#include "master/recovery.h"
#include "tests/support/plain_strategy.h"

namespace dl::master {
namespace {

// The specs of these tests are names of definitions.
std::map<std::string, JobDefinition>& Definitions() {
  static auto& definitions = *new std::map<std::string, JobDefinition>;
  return definitions;
}

StatusOr<JobDefinition> FindDefinition(const std::string& id, const std::string& spec,
                                       const std::string&, const std::string&) {
  JobDefinition definition = Definitions().at(spec);
  definition.id = id;
  return definition;
}

// Of a job's parts, by the name of the whole.
StateNames NamesOf(const Job& job, const std::string& state) {
  StateNames names{.state_sha256 = state};
  for (const averaging::PartLayout& part : job.definition.strategy->layout().parts)
    names.parts.emplace(part.name, absl::StrCat(part.name, "-", state));
  return names;
}

}  // namespace

CoreHarness::CoreHarness(CoreOptions options) : options_(options) {
  storage::MetaBatch secret;
  secret.Put(keys::kSecret, "1");
  DL_CHECK(store.Write(secret).ok());
  Restart();
}

void CoreHarness::Restart() {
  auto recovered = LoadState(store, FindDefinition);
  DL_CHECK(recovered.ok());
  Output output;
  core_.emplace(options_, *std::move(recovered), now, output);
  Take(std::move(output));
}

JobDefinition CoreHarness::Definition() {
  JobDefinition definition;
  definition.name = "job";
  definition.plan = {.examples = 4, .workers = 2, .batch_size = 2, .averaging_frequency = 1};
  definition.epochs = 3;
  definition.strategy = test::PlainStrategy();
  definition.contribution_bytes = 8;
  definition.example_hash_sum = 4;  // each example counts 1
  definition.checkpoint.every_epoch = false;
  return definition;
}

const Job& CoreHarness::job(const std::string& id) const {
  if (const Job* found = core_->Find(id)) return *found;
  auto ended = FindEnded(const_cast<storage::MemoryMetaStore&>(store), id, FindDefinition);
  DL_CHECK(ended.ok() && *ended != nullptr);
  return stored_.insert_or_assign(id, Restored(**ended)).first->second;
}

void CoreHarness::Take(Output output) {
  DL_CHECK(std::all_of(output.ahead.begin(), output.ahead.end(), MayLeaveAhead));
  effects = std::move(output.ahead);
  DL_CHECK(store.Write(output.batch).ok());
  effects.insert(effects.end(), std::make_move_iterator(output.effects.begin()),
                 std::make_move_iterator(output.effects.end()));
  const Status held = checks_invariants ? core_->CheckInvariants() : absl::OkStatus();
  if (!held.ok()) std::fprintf(stderr, "%s\n", DescribeError(held).c_str());
  DL_CHECK(held.ok());
  AnswerReads();
}

void CoreHarness::AnswerReads() {
  for (size_t i = 0; i < effects.size(); ++i) {
    std::optional<Event> answer;
    if (const auto* survey = std::get_if<SurveyLog>(&effects[i])) answer = Survey(store, *survey);
    if (const auto* read = std::get_if<ReadCommits>(&effects[i])) answer = Read(store, *read);
    if (const auto* over = std::get_if<ReleaseJob>(&effects[i]);
        over != nullptr && !holds_back_ends)
      answer = EndRecorded{over->job, over->end};
    if (!answer) continue;
    Output output;
    core_->Step(*answer, {.now = now, .came = std::min(now, came)}, output);
    DL_CHECK(store.Write(output.batch).ok());
    effects.insert(effects.end(), output.ahead.begin(), output.ahead.end());
    effects.insert(effects.end(), output.effects.begin(), output.effects.end());
    DL_CHECK(core_->CheckInvariants().ok());
  }
}

void CoreHarness::Do(const Event& event) {
  Output output;
  const Duration before = ThreadTime();
  core_->Step(event, {.now = now, .came = std::min(now, came)}, output);
  spent = ThreadTime() - before;
  Take(std::move(output));
}

void CoreHarness::Wait(Duration time) {
  const Instant end = now + time;
  std::vector<Effect> all;
  while (now < end) {
    now = std::min(end, std::max(core_->NextDeadline(), now + std::chrono::milliseconds(1)));
    Do(Tick{});
    all.insert(all.end(), effects.begin(), effects.end());
  }
  effects = std::move(all);
}

template <typename ReplyType, typename Request>
StatusOr<ReplyType> CoreHarness::Ask(Request request) {
  const uint64_t token = ++token_;
  Do(Asked<Request>{token, std::move(request)});
  for (const Answer& answer : EffectsOf<Answer>()) {
    if (answer.token != token) continue;
    if (!answer.status.ok()) return answer.status;
    if constexpr (std::is_same_v<ReplyType, std::monostate>) {
      return ReplyType{};
    } else {
      return std::get<ReplyType>(answer.reply);
    }
  }
  return Unavailable({.message = "no answer yet"});
}

uint64_t CoreHarness::Register(const std::string& executor, rpc::RegisterRequest rest) {
  rest.executor = executor;
  if (rest.incarnation == 0) rest.incarnation = 1;
  if (rest.slots == 0) rest.slots = 8;
  if (rest.contracts.empty()) rest.contracts = {{"c1", ""}};
  for (rpc::OfferedContract& offered : rest.contracts) {
    if (offered.isa.empty()) offered.isa = "avx2";
  }
  auto reply = Ask<rpc::RegisterReply>(rest);
  return reply.ok() ? reply->session : 0;
}

StatusOr<std::string> CoreHarness::Submit(JobDefinition definition, const std::string& request_id,
                                          Source source) {
  Submission submission{.request_id = request_id,
                        .definition = definition,
                        .train_manifest = "{}",
                        .resume_from = source.resume_from,
                        .init_from = source.init_from};
  submission.spec = absl::StrCat("spec-", Definitions().size());
  const std::string& from = source.resume_from.empty() ? source.init_from : source.resume_from;
  if (auto ended = FindEnded(store, from.substr(0, from.rfind('@')), FindDefinition); ended.ok())
    submission.source = *ended;
  Definitions()[submission.spec] = std::move(definition);
  auto reply = Ask<rpc::SubmitReply>(submission);
  if (!reply.ok()) return reply.status();
  return reply->job;
}

StatusOr<std::string> CoreHarness::Act(rpc::JobActionRequest request) {
  static int64_t actions = 0;
  if (request.request_id.empty()) request.request_id = absl::StrCat("action-", ++actions);
  UserAction action{.request = std::move(request)};
  auto ended = FindEnded(store, action.request.job, FindDefinition);
  if (!ended.ok()) return ended.status();
  action.ended = *ended;
  auto reply = Ask<rpc::JobActionReply>(std::move(action));
  if (!reply.ok()) return reply.status();
  return reply->message;
}

Json CoreHarness::Query(const std::string& what, const std::string& job) {
  auto reply = what == "jobs" ? Ask<rpc::QueryReply>(JobsQuery{0, UINT64_MAX})
                              : Ask<rpc::QueryReply>(rpc::QueryRequest{.what = what, .job = job});
  if (reply.ok()) return Json::parse(reply->json);
  const auto told = History(store, FindDefinition).Tell(what, job);
  return told.ok() ? *told : Json();
}

std::vector<rpc::Lease> CoreHarness::LeaseUnits(uint64_t session, int32_t slots) {
  auto reply = Ask<rpc::LeaseReply>(
      rpc::LeaseRequest{.session = session, .free_slots = slots, .wait_ms = 0});
  return reply.ok() ? reply->leases : std::vector<rpc::Lease>{};
}

uint64_t CoreHarness::Park(uint64_t session, int32_t slots) {
  const uint64_t token = ++token_;
  Do(Asked<rpc::LeaseRequest>{token, {.session = session, .free_slots = slots, .wait_ms = 60'000}});
  return token;
}

std::vector<rpc::Lease> CoreHarness::LeasesOf(uint64_t parked) const {
  for (const Answer& answer : EffectsOf<Answer>()) {
    if (answer.token == parked) return std::get<rpc::LeaseReply>(answer.reply).leases;
  }
  return {};
}

rpc::HeartbeatReply CoreHarness::Heartbeat(uint64_t session,
                                           std::vector<rpc::UnitProgress> running) {
  auto reply = Ask<rpc::HeartbeatReply>(
      rpc::HeartbeatRequest{.session = session, .running = std::move(running)});
  return reply.ok() ? *reply : rpc::HeartbeatReply{};
}

rpc::AnnounceRequest CoreHarness::Announcement(uint64_t session, const rpc::Lease& lease,
                                               uint64_t bits) const {
  nn::MetricSums metrics;
  rpc::AnnounceRequest request{.session = session,
                               .lease = lease.lease,
                               .unit = lease.unit,
                               .base_sha256 = lease.base_sha256,
                               .hash = bits,
                               .spec_sha256 = lease.spec_sha256};
  const Unit& unit = job(lease.unit.job).units.at(lease.unit.index);
  for (int64_t i = 0; i < unit.examples; ++i) metrics.AddLoss(static_cast<double>(bits % 8));
  request.metrics = metrics.ToJson().dump();
  request.examples = unit.examples;
  request.steps = unit.steps;
  if (lease.unit.kind == UnitKind::kEvaluate) {
    request.hash = Xxh3(request.metrics);
    return request;
  }
  request.bytes = job(lease.unit.job).definition.contribution_bytes;
  request.example_hash_sum = static_cast<uint64_t>(unit.examples);
  const SegmentTable& merged = job(lease.unit.job).definition.strategy->layout().merged;
  request.magnitudes.assign(merged.segments().size(), 1.0);
  return request;
}

StatusOr<rpc::AnnounceReply> CoreHarness::Announce(uint64_t session, const rpc::Lease& lease,
                                                   uint64_t bits) {
  return Ask<rpc::AnnounceReply>(Understand(Announcement(session, lease, bits)));
}

Status CoreHarness::ReportFailure(uint64_t session, const rpc::Lease& lease,
                                  const std::string& code, bool not_finite, rpc::Fault fault) {
  return Ask<std::monostate>(rpc::FailureReport{.session = session,
                                                .lease = lease.lease,
                                                .unit = lease.unit,
                                                .code = code,
                                                .message = "it failed",
                                                .where = "layer 1",
                                                .not_finite = not_finite,
                                                .fault = fault})
      .status();
}

void CoreHarness::StateIsPrepared(const std::string& job, int64_t round, Status status) {
  const std::string state = absl::StrCat(job, "@", round);
  Do(StatePrepared{.job = job,
                   .round = round,
                   .number = this->job(job).preparation.number,
                   .names = NamesOf(this->job(job), state),
                   .status = std::move(status)});
}

void CoreHarness::Stage(const rpc::Lease& lease, uint64_t bits, uint64_t session) {
  const auto& units = job(lease.unit.job).units;
  const auto unit = units.find(lease.unit.index);
  const bool expected = unit != units.end() && unit->second.result.hash == bits;
  Do(ContributionStaged{lease.unit, expected ? unit->second.result.expected : 0, session});
}

void CoreHarness::RoundIsMerged(const std::string& job, int64_t round, const std::string& state) {
  Do(RoundMerged{
      .job = job,
      .round = round,
      .merge = this->job(job).merge,
      .names = NamesOf(this->job(job), state.empty() ? absl::StrCat(job, "@", round) : state)});
}

void CoreHarness::CheckpointIsWritten(const std::string& job, int64_t round, Status status) {
  const auto& commits = this->job(job).log.commits;
  const auto commit = commits.find(round);
  Do(CheckpointWritten{
      .job = job,
      .round = round,
      .state_sha256 = commit == commits.end() ? "" : commit->second.names.state_sha256,
      .manifest = Json{{"round", round}}.dump(),
      .status = std::move(status)});
}

std::string CoreHarness::RunningJob(JobDefinition definition) {
  static int64_t jobs = 0;
  const std::string id = *Submit(std::move(definition), absl::StrCat("running-", ++jobs));
  StateIsPrepared(id);
  return id;
}

void CoreHarness::CompleteRound(const std::string& id, uint64_t session) {
  const int64_t round = job(id).at + 1;
  for (const rpc::Lease& lease : LeaseUnits(session, 8)) {
    const auto bits = static_cast<uint64_t>(round * 100 + lease.unit.index);
    DL_CHECK(Announce(session, lease, bits).ok());
    Stage(lease, bits, session);
  }
  RoundIsMerged(id, round);
}

}  // namespace dl::master
