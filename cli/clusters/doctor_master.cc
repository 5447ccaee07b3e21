// The part of `doctor` that checks a running master, the connection to it, and its executors.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/limits.h"
#include "cli/clusters/doctor.h"
#include "cli/jobs/job_query.h"
#include "cli/output/json_fields.h"
#include "launch/version.h"
#include "nn/conf/contract_id.h"
#include "rpc/client.h"
#include "rpc/messages.h"

namespace dl::cli {
namespace {

constexpr int64_t kSmallPiece = 64 << 10;
constexpr Duration kShortCall = std::chrono::milliseconds(100);
constexpr int kRoundTrips = 9;

double SecondsOf(Duration duration) { return std::chrono::duration<double>(duration).count(); }

struct Answered {
  Duration took{};
  int64_t master_ahead_ms = 0;  // of its clock, if the answer took half of the time
};

StatusOr<Answered> Ask(rpc::Client& client, int64_t there, int64_t back,
                       Duration deadline = limits::kBulkDeadline) {
  const Clock& clock = Clock::Real();
  const rpc::MeasureRequest request{.bytes = std::string(static_cast<size_t>(there), '\0'),
                                    .reply_bytes = back};
  const Instant begin = clock.Now();
  const int64_t here_ms = clock.WallUnixMs();
  DL_ASSIGN_OR_RETURN(const rpc::MeasureReply reply, client.Measure(request, deadline));
  Answered answered{.took = clock.Now() - begin};
  const auto half = std::chrono::duration_cast<std::chrono::milliseconds>(answered.took / 2);
  answered.master_ahead_ms = reply.unix_ms - here_ms - half.count();
  return answered;
}

// Returns the rate in one direction in bytes per second. Small pieces are sent first, because a
// slow link would take minutes for a large one.
StatusOr<double> RateOf(rpc::Client& client, bool back) {
  int64_t piece = kSmallPiece, bytes = 0;
  Duration took{};
  while (took < limits::kLinkMeasureTime) {
    DL_ASSIGN_OR_RETURN(const Answered answered, Ask(client, back ? 0 : piece, back ? piece : 0));
    if (answered.took < kShortCall && piece < limits::kChunkBytes) {
      piece = std::min(piece * 4, limits::kChunkBytes);
      continue;
    }
    bytes += piece;
    took += answered.took;
  }
  return static_cast<double>(bytes) / SecondsOf(took);
}

std::string PerSecond(double bytes) { return absl::StrFormat("%.0f MB/s", bytes / 1e6); }

Check CheckClock(const std::vector<Answered>& trips) {
  std::vector<int64_t> ahead;
  for (const Answered& trip : trips) ahead.push_back(trip.master_ahead_ms);
  std::ranges::sort(ahead);
  const int64_t ms = ahead[ahead.size() / 2];
  const std::string words = absl::StrCat("the master's clock is ", std::abs(ms), " ms ",
                                         ms < 0 ? "behind" : "ahead of", " this machine's");
  if (std::chrono::milliseconds(std::abs(ms)) <= limits::kMaxClockDifference)
    return Good("clock", words);
  return Warning("clock", words,
                 "Results do not depend on clocks, but times in logs, and when tokens and "
                 "certificates expire: run NTP (timedatectl set-ntp true)");
}

Check CheckLink(rpc::Client& client, const std::vector<Answered>& trips) {
  std::vector<Duration> times;
  for (const Answered& trip : trips) times.push_back(trip.took);
  std::ranges::sort(times);
  const auto down = RateOf(client, true), up = RateOf(client, false);
  if (!down.ok() || !up.ok()) return Failed("link", down.ok() ? up.status() : down.status());
  const std::string words =
      absl::StrFormat("%.2f ms there and back, %s from the master, %s to it",
                      SecondsOf(times[times.size() / 2]) * 1e3, PerSecond(*down), PerSecond(*up));
  if (std::min(*down, *up) >= static_cast<double>(limits::kSlowLinkBytesPerSecond))
    return Good("link", words);
  return Warning("link", words,
                 "A model travels each way once a round: average less often "
                 "(averaging_frequency), or use a faster link; dl-submit status JOB says how many "
                 "bytes a round has");
}

}  // namespace

std::vector<Check> CheckExecutors(const Json& cluster) {
  std::vector<Check> checks;
  const Json* executors = Member(cluster, "executors");
  if (executors == nullptr || executors->empty()) {
    return {
        Warning("executors", "no executor is registered, so jobs wait",
                "Start some: dl-submit cluster start --hosts FILE, or dl-submit executor on each "
                "machine")};
  }
  int64_t slots = 0;
  std::map<std::string, int> contracts;
  std::set<std::string> others;
  for (const Json& executor : *executors) {
    slots += IntegerAt(executor, "slots");
    const std::string name = TextAt(executor, "executor");
    if (const Json* offers = Member(executor, "offers"); offers != nullptr && !offers->empty()) {
      // The first contract is for float32. A job's contract contains cache sizes only if they
      // change its bits.
      ++contracts[nn::ContractOfJob(TextAt(offers->front(), "kernel_contract"), {})];
    }
    if (const std::string version = TextAt(executor, "version"); version != launch::kVersion)
      others.insert(name + " (" + version + ")");
    if (FlagAt(executor, "quarantined")) {
      checks.push_back({.subject = "executors",
                        .state = Check::State::kFailed,
                        .message = name + " is quarantined: its results were wrong",
                        .remedy = "Test its memory and processor, or remove it; dl-submit logs JOB "
                                  "shows what happened"});
    }
    if (FlagAt(executor, "backed_off")) {
      checks.push_back(Warning(
          "executors", absl::StrCat(name, " is backed off: ", TextAt(executor, "backoff_reason")),
          "Look at its log and at the network between it and the master"));
    }
  }
  if (contracts.size() > 1) {
    std::vector<std::string> words;
    for (const auto& [contract, count] : contracts)
      words.push_back(absl::StrCat(count, " with ", contract));
    checks.push_back(
        Warning("kernel contracts", absl::StrJoin(words, ", "),
                "Only executors with the contract of a job compute it; dl-submit submit "
                "reports how many it excludes. Submit jobs with --kernels portable, which all "
                "executors compute, or start all executors with --isa avx2"));
  }
  if (!others.empty()) {
    checks.push_back(
        Warning("versions",
                absl::StrCat("other than ", launch::kVersion,
                             ", the version of this program: ", absl::StrJoin(others, ", ")),
                "Install the same version everywhere"));
  }
  checks.insert(checks.begin(), Good("executors", absl::StrCat(executors->size(), " with ", slots,
                                                               slots == 1 ? " slot" : " slots")));
  return checks;
}

std::vector<Check> CheckMaster(const launch::Target& master,
                               const launch::CredentialSources& credentials) {
  const std::string url = master.ToString();
  auto client = launch::ConnectAs(credentials, {master.host(), master.port()});
  if (!client.ok()) return {Failed("master", client.status())};
  std::vector<Answered> trips;
  for (int i = 0; i <= kRoundTrips; ++i) {
    const auto answered = Ask(**client, 0, 0, limits::kControlDeadline);
    if (!answered.ok()) return {Failed("master", answered.status())};
    if (i > 0) trips.push_back(*answered);  // the first call includes the connection
  }
  std::vector<Check> checks = {Good("master", url + " answers, and lets us in")};
  checks.push_back(CheckClock(trips));
  checks.push_back(CheckLink(**client, trips));
  const auto cluster = QueryJson(**client, rpc::QueryKind::kCluster);
  // A token for executors does not permit this query.
  if (absl::IsUnauthenticated(cluster.status())) return checks;
  if (!cluster.ok()) {
    checks.push_back(Failed("executors", cluster.status()));
    return checks;
  }
  for (Check& check : CheckExecutors(*cluster)) checks.push_back(std::move(check));
  return checks;
}

}  // namespace dl::cli
