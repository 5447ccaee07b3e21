#include "tests/unit/master_core/core_harness.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "master/core/job/ticket.h"
#include "master/core/record_keys.h"
#include "master/core/records/report_record.h"
#include "master/gateway/cluster_json.h"
#include "master/history.h"
#include "master/store_recovery.h"
#include "master/stored.h"
#include "tests/support/plain_strategy.h"
#include "tests/unit/master_core/named_definitions.h"

namespace dl::master {
namespace {

// Returns names of a job's parts that are derived from the name of the state.
StateNames NamesOf(const Job& job, const std::string& state) {
  StateNames names{.state_sha256 = state};
  for (const averaging::PartLayout& part : job.definition.strategy->layout().parts)
    names.parts.emplace(part.name, absl::StrCat(part.name, "-", state));
  return names;
}

}  // namespace

JobDefinition CoreHarness::Definition() {
  JobDefinition definition;
  definition.name = "job";
  definition.plan = {.examples = 4, .workers = 2, .batch_size = 2, .averaging_frequency = 1};
  definition.epochs = 3;
  definition.strategy = test::PlainStrategy();
  definition.contribution_bytes = 8;
  definition.example_hash_sum = 4;  // the hash of each example is 1
  definition.checkpoint.every_epoch = false;
  return definition;
}

uint64_t CoreHarness::Register(const std::string& executor, rpc::RegisterRequest rest) {
  rest.executor = executor;
  if (rest.incarnation == 0) rest.incarnation = 1;
  if (rest.slots == 0) rest.slots = 8;
  if (rest.contracts.empty()) rest.contracts = {{"c1", ""}};
  for (rpc::OfferedContract& offered : rest.contracts) {
    const bool portable = nn::KernelSetOf(offered.contract) == nn::KernelSet::kPortable;
    if (offered.isa.empty() && !portable) offered.isa = "avx2";
  }
  auto reply = Ask<rpc::RegisterReply>(rest);
  if (!reply.ok()) return 0;
  names_[reply->session] = executor;
  return reply->session;
}

StatusOr<std::string> CoreHarness::Submit(JobDefinition definition, const std::string& request_id,
                                          Source source) {
  Submission submission{.request_id = request_id,
                        .definition = definition,
                        .train_manifest = "{}",
                        .resume_from = source.resume_from,
                        .init_from = source.init_from,
                        .owner = source.owner,
                        .scheduling = source.scheduling};
  if (auto ended = FindEnded(store, source.scheduling.after, FindDefinition); ended.ok())
    submission.predecessor = *ended;
  const std::string& from = source.resume_from.empty() ? source.init_from : source.resume_from;
  if (auto ended = FindEnded(store, from.substr(0, from.rfind('@')), FindDefinition); ended.ok())
    submission.source = *ended;
  submission.spec = NameDefinition(std::move(definition));
  auto reply = Ask<rpc::SubmitReply>(submission);
  if (!reply.ok()) return reply.status();
  return reply->job;
}

Status CoreHarness::Prune(const std::string& job) {
  DL_ASSIGN_OR_RETURN(auto ended, FindEnded(store, job, FindDefinition));
  return Ask<std::monostate>(PruneRequest{.job = job, .ended = std::move(ended)}).status();
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

Json CoreHarness::JobsInMemory() {
  Json all = Json::array();
  const auto numbered = ReadAll(store, keys::kNumberPrefix);
  DL_CHECK(numbered.ok());
  for (const auto& [key, id] : *numbered) {
    const auto reply = Ask<JobViews>(JobsQuery{.ids = {id}});
    DL_CHECK(reply.ok());
    for (const auto& [known, view] : reply->by_id) all.push_back(Json::parse(ReportText(view)));
  }
  return all;
}

Json CoreHarness::Query(const std::string& what, const std::string& job) {
  const auto text = [](const auto& view) -> StatusOr<std::string> {
    DL_RETURN_IF_ERROR(view.status());
    return ReportText(*view);
  };
  if (what == "jobs") return JobsInMemory();
  if (what == "cluster") return ToJson(Ask<ClusterView>(ClusterQuery{}).value());
  ReportKind kind = ReportKind::kCheckpoints;
  StatusOr<std::string> report;
  if (what == "job") {
    kind = ReportKind::kJob;
    report = text(Ask<JobView>(JobQuery{job}));
  } else if (what == "result") {
    kind = ReportKind::kResult;
    report = text(Ask<ResultView>(ResultQuery{job}));
  } else {
    report = text(Ask<CheckpointsView>(CheckpointsQuery{job}));
  }
  if (!report.ok()) report = History(store, FindDefinition).Report(kind, job, Instant::Max());
  return report.ok() ? Json::parse(*report) : Json();
}

std::vector<rpc::Lease> CoreHarness::LeaseUnits(uint64_t session, int32_t slots) {
  auto reply = Ask<rpc::LeaseReply>(
      rpc::LeaseRequest{.session = session, .free_slots = slots, .wait_ms = 0});
  return reply.ok() ? reply->leases : std::vector<rpc::Lease>{};
}

uint64_t CoreHarness::Park(uint64_t session, int32_t slots) {
  return Post(rpc::LeaseRequest{.session = session, .free_slots = slots, .wait_ms = 60'000});
}

std::vector<rpc::Lease> CoreHarness::LeasesOf(uint64_t parked) const {
  const Answer* answer = AnswerTo(parked);
  return answer == nullptr ? std::vector<rpc::Lease>{}
                           : std::get<rpc::LeaseReply>(answer->reply).leases;
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
                               .spec_sha256 = lease.spec_sha256,
                               .ticket = TicketOf(NameOf(session), lease)};
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

uint64_t CoreHarness::TicketOf(const std::string& executor, const rpc::Lease& lease) const {
  return TicketFor(kSecret, job(lease.unit.job),
                   {.executor = executor,
                    .unit = lease.unit,
                    .base_sha256 = lease.base_sha256,
                    .lease = lease.lease});
}

StatusOr<rpc::AnnounceReply> CoreHarness::Announce(uint64_t session, const rpc::Lease& lease,
                                                   uint64_t bits) {
  return Ask<rpc::AnnounceReply>(ParseAnnouncement(Announcement(session, lease, bits)));
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
