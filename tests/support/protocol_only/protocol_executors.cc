#include "tests/support/protocol_only/protocol_executors.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "base/thread.h"
#include "executor/block_fetcher.h"
#include "executor/transfer.h"
#include "launch/version.h"
#include "rpc/client.h"
#include "rpc/messages.h"

namespace dl::test {
namespace {

constexpr Duration kTryAgain = std::chrono::milliseconds(100);

}  // namespace

StatusOr<std::shared_ptr<SyntheticWork>> ProtocolExecutors::Shared::Work(
    const std::string& job, const rpc::FetchJobReply& documents, rpc::ExecutorService& master) {
  MutexLock lock(mutex_);
  if (work_ != nullptr && job_ == job) return work_;
  executor::BlockFetcher blocks(master, nullptr);
  DL_ASSIGN_OR_RETURN(work_, SyntheticWork::Create(job, documents, blocks));
  job_ = job;
  return work_;
}

void ProtocolExecutors::Shared::Note(std::vector<double> CallTimes::*series, Duration time) {
  MutexLock lock(mutex_);
  (times_.*series).push_back(Seconds(time) * 1000);
}

void ProtocolExecutors::Shared::RecordError(const Status& status) {
  ++errors;
  MutexLock lock(mutex_);
  last_error_ = DescribeError(status);
}

CallTimes ProtocolExecutors::Shared::Take() {
  MutexLock lock(mutex_);
  return std::exchange(times_, {});
}

std::string ProtocolExecutors::Shared::LastError() const {
  MutexLock lock(mutex_);
  return last_error_;
}

bool ProtocolExecutors::Shared::Pause(Duration time) {
  const Instant end = Clock::Real().Now() + time;
  MutexLock lock(mutex_);
  while (!over) {
    const Duration left = end - Clock::Real().Now();
    if (left <= Duration::zero()) return true;
    stopping_.WaitFor(mutex_, left);
  }
  return false;
}

void ProtocolExecutors::Shared::Stop() {
  MutexLock lock(mutex_);
  over = true;
  stopping_.NotifyAll();
}

class ProtocolExecutors::One {
 public:
  One(const Options& options, int number, Shared& shared)
      : shared_(shared),
        register_{.executor = absl::StrCat(options.name, "-", number),
                  .incarnation = 1,
                  .slots = 1,
                  .contracts = {{options.contract, options.isa}},
                  .host = "localhost",
                  .pid = number + 1,
                  .version = launch::kVersion} {
    auto client = rpc::Client::Connect({.endpoint = options.master,
                                        .role = "executor",
                                        .version = launch::kVersion,
                                        .credentials = options.credentials});
    DL_CHECK(client.ok());
    client_ = *std::move(client);
    work_thread_ = Thread("work", [this] { Work(); });
    heartbeat_thread_ = Thread("heartbeat", [this] { Beat(); });
  }
  void Close() { client_->Close(); }

 private:
  struct Known {
    std::string sha256;
    std::vector<float> state;
  };

  void Work() {
    while (!shared_.over) {
      if (session_ == 0 && !Register()) continue;
      if (const Status status = DoOne(); !status.ok()) Fail(status);
    }
  }

  bool Register() {
    auto reply = client_->Register(register_, limits::kControlDeadline);
    if (!reply.ok()) {
      Fail(reply.status());
      return false;
    }
    heartbeat_ms_ = reply->heartbeat_ms;
    session_ = reply->session;
    ++shared_.registered;
    return true;
  }

  void Fail(const Status& status) {
    if (shared_.over) return;
    shared_.RecordError(status);
    if (absl::IsAborted(status) && session_.exchange(0) != 0) --shared_.registered;
    (void)shared_.Pause(kTryAgain);
  }

  // Computes at most one unit.
  Status DoOne() {
    const Instant asked = Clock::Real().Now();
    const int64_t wait_ms = limits::kLongPoll / std::chrono::milliseconds(1);
    DL_ASSIGN_OR_RETURN(
        const rpc::LeaseReply reply,
        client_->LeaseUnits({.session = session_, .free_slots = 1, .wait_ms = wait_ms},
                            limits::kControlDeadline));
    if (reply.leases.empty()) return absl::OkStatus();
    SetRunning({{.unit = reply.leases[0].unit, .lease = reply.leases[0].lease}});
    const Status status = Compute(reply.leases[0]);
    SetRunning({});
    if (status.ok()) shared_.Note(&CallTimes::unit, Clock::Real().Now() - asked);
    return status;
  }

  Status Compute(const rpc::Lease& lease) {
    if (job_ != lease.unit.job) {
      DL_ASSIGN_OR_RETURN(
          const rpc::FetchJobReply documents,
          client_->FetchJob({.session = session_, .job = lease.unit.job}, limits::kBulkDeadline));
      DL_ASSIGN_OR_RETURN(work_, shared_.Work(lease.unit.job, documents, *client_));
      job_ = lease.unit.job;
    }
    DL_RETURN_IF_ERROR(FetchBase(lease));
    DL_ASSIGN_OR_RETURN(SyntheticResult result, work_->ResultOf(lease, base_.state));
    result.announcement.session = session_;
    result.announcement.lease = lease.lease;
    DL_ASSIGN_OR_RETURN(const rpc::AnnounceReply announced,
                        client_->Announce(result.announcement, limits::kControlDeadline));
    if (announced.verdict != rpc::Verdict::kSend) return absl::OkStatus();
    ++shared_.accepted;
    const auto bytes = std::as_bytes(std::span<const float>(result.state));
    DL_ASSIGN_OR_RETURN(
        const rpc::ContributionReply sent,
        executor::SendContributionBytes(
            {.master = *client_, .moved = moved_},
            {.session = session_, .unit = lease.unit, .hash = result.announcement.hash},
            std::span(&bytes, 1)));
    if (sent.receipt == rpc::Receipt::kComplete) ++shared_.contributed;
    return absl::OkStatus();
  }

  // Fetches the model of each round for each executor, as executors on separate machines do.
  Status FetchBase(const rpc::Lease& lease) {
    const std::string& model = lease.parts.at(0).sha256;
    if (base_.sha256 == model) return absl::OkStatus();
    base_ = {.state = std::vector<float>(work_->state_values())};
    const auto state = std::as_writable_bytes(std::span<float>(base_.state));
    const auto total = static_cast<int64_t>(state.size());
    const auto fetch = [&](int64_t offset, int64_t length) {
      return client_->FetchPart({.session = session_,
                                 .job = lease.unit.job,
                                 .sha256 = model,
                                 .offset = offset,
                                 .length = std::min(length, total - offset)},
                                limits::kBulkDeadline);
    };
    DL_ASSIGN_OR_RETURN(const std::string bytes, executor::FetchContent(fetch, total));
    if (bytes.size() != state.size()) return DataLoss({.message = "a model of another size"});
    std::memcpy(state.data(), bytes.data(), bytes.size());
    base_.sha256 = model;
    return absl::OkStatus();
  }

  void SetRunning(std::vector<rpc::UnitProgress> running) {
    MutexLock lock(mutex_);
    running_ = std::move(running);
  }

  void Beat() {
    uint64_t session = 0, seen = 0;
    for (;;) {
      const Duration wait = std::chrono::milliseconds(heartbeat_ms_);
      const Instant due = Clock::Real().Now() + wait;
      if (!shared_.Pause(wait)) return;
      const Instant begin = Clock::Real().Now();
      shared_.Note(&CallTimes::lateness, begin - due);
      if (session != session_) seen = 0;
      session = session_;
      if (session == 0) continue;
      rpc::HeartbeatRequest request{.session = session, .notices_seen = seen};
      {
        MutexLock lock(mutex_);
        request.running = running_;
      }
      auto reply = client_->Heartbeat(request, limits::kControlDeadline);
      if (shared_.over) return;
      shared_.Note(&CallTimes::heartbeat, Clock::Real().Now() - begin);
      if (reply.ok()) {
        seen = reply->number;
      } else {
        shared_.RecordError(reply.status());
      }
    }
  }

  Shared& shared_;
  const rpc::RegisterRequest register_;
  std::unique_ptr<rpc::Client> client_;
  std::atomic<uint64_t> session_{0};
  std::atomic<int64_t> heartbeat_ms_{500};
  // Used only by the working thread.
  std::string job_;
  std::shared_ptr<SyntheticWork> work_;  // shared by all executors of the process
  Known base_;
  executor::MovedBytes moved_;
  Mutex mutex_;
  std::vector<rpc::UnitProgress> running_ DL_GUARDED_BY(mutex_);
  Thread work_thread_, heartbeat_thread_;
};

ProtocolExecutors::ProtocolExecutors(const Options& options) {
  for (int i = 0; i < options.count; ++i)
    all_.push_back(std::make_unique<One>(options, i, shared_));
}

ProtocolExecutors::~ProtocolExecutors() {
  shared_.Stop();
  for (auto& one : all_) one->Close();
}

}  // namespace dl::test
