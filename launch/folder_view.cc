#include "launch/folder_view.h"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/json.h"
#include "base/log.h"
#include "launch/credentials.h"
#include "launch/daemons/data_folder.h"
#include "master/master.h"
#include "nn/conf/contract_id.h"
#include "rpc/client.h"
#include "rpc/endpoint.h"

namespace dl::launch {
namespace {

constexpr Duration kCheckInterval = std::chrono::seconds(1);
// How often Open() reads records that another process changes.
constexpr int kAttempts = 3;
// How long a reader waits for the records after a master has ended.
constexpr Duration kNextWithin = std::chrono::seconds(5);

Status OnlyRead() {
  return FailedPrecondition({.message = "this view of a data folder only reads",
                             .remedy = "Start a master, or use dl-submit"});
}

Status FolderDeleted(const std::string& data_dir) {
  return Unavailable({.message = "the data folder was deleted or moved",
                      .where = data_dir,
                      .remedy = "Put it back, or show another folder with: dl-submit ui DIR"});
}

// The time of the last write of the store. Each batch of records writes this file.
std::filesystem::file_time_type LastWrite(const std::string& data_dir) {
  std::error_code ignored;
  return std::filesystem::last_write_time(data_dir + "/meta/MARK", ignored);
}

bool HasEndedState(const std::string& state) {
  return state == "SUCCEEDED" || state == "FAILED" || state == "CANCELLED" || state == "REJECTED" ||
         state == "PAUSED";
}

// No process computes, so each unfinished job was interrupted.
void MarkInterrupted(Json& job) {
  if (!job.is_object() || HasEndedState(job.value("state", ""))) return;
  job["state"] = "INTERRUPTED";
  job["reason"] = "no_process";
  job["message"] = "no process computes it";
  job.erase("action");
}

}  // namespace

// Answers from a master of another process, or from records that were read.
class FolderView::Source {
 public:
  Source(std::string master, std::unique_ptr<rpc::Client> client)
      : address_(std::move(master)), client_(std::move(client)) {}
  Source(std::filesystem::file_time_type written, std::unique_ptr<master::Master> records)
      : written_(written), records_(std::move(records)) {}

  rpc::ClientService& clients() {
    if (client_ != nullptr) return *client_;
    return records_->gateway();
  }
  const std::string& address() const { return address_; }  // empty: records that were read
  std::filesystem::file_time_type written() const { return written_; }

 private:
  std::string address_;
  std::unique_ptr<rpc::Client> client_;
  std::filesystem::file_time_type written_;
  std::unique_ptr<master::Master> records_;
};

StatusOr<std::unique_ptr<FolderView>> FolderView::Open(const std::string& data_dir) {
  std::unique_ptr<FolderView> view(new FolderView(data_dir));
  {
    MutexLock lock(view->mutex_);
    StatusOr<std::shared_ptr<Source>> found = view->FindSource(nullptr);
    for (int i = 1; i < kAttempts && absl::IsUnavailable(found.status()); ++i)
      found = view->FindSource(nullptr);
    DL_ASSIGN_OR_RETURN(view->source_, std::move(found));
  }
  view->thread_ = Thread("folder-view", [view = view.get()] { view->Run(); });
  return view;
}

FolderView::~FolderView() {
  {
    MutexLock lock(mutex_);
    stop_ = true;
    changed_.NotifyAll();
  }
  thread_.Join();
}

StatusOr<std::shared_ptr<FolderView::Source>> FolderView::FindSource(
    std::shared_ptr<Source> current) const {
  const std::optional<FolderHolder> holder = DataFolder::Holder(data_dir_);
  if (holder) {
    // A process that does not answer yet may change the records. The earlier records are shown.
    const bool answers = !holder->master.empty();
    if (current != nullptr && (!answers || current->address() == holder->master)) return current;
    if (!answers) return FolderInUse(data_dir_, *holder);
    DL_ASSIGN_OR_RETURN(const rpc::Endpoint endpoint, rpc::ParseEndpoint(holder->master));
    DL_ASSIGN_OR_RETURN(std::unique_ptr<rpc::Client> client,
                        ConnectAs({.data_dir = data_dir_}, endpoint));
    return std::make_shared<Source>(holder->master, std::move(client));
  }
  // Opening the stores of a folder that was deleted would create it again.
  if (!HasStore(data_dir_)) {
    return NotFound({.message = "the data folder has no jobs: no command has used it yet",
                     .where = data_dir_,
                     .remedy = "Name another folder"});
  }
  const auto written = LastWrite(data_dir_);
  if (current != nullptr && current->address().empty() && current->written() == written)
    return current;
  // The folder is not held, so that a process that needs it does not find it in use.
  master::MasterOptions options{.data_dir = data_dir_,
                                .full_disk = master::MasterOptions::FullDisk::kRead,
                                .shared = true,
                                .on_fatal = [](const Status& status) {
                                  LogWarning("the records of the folder: ", DescribeError(status));
                                }};
  options.core.is_known_contract = nn::IsKnownContract;
  auto records = master::Master::Open(options);
  if (DataFolder::Holder(data_dir_) || LastWrite(data_dir_) != written) {
    return Unavailable({.message = "the records of the folder changed while they were read",
                        .where = data_dir_,
                        .remedy = "Try again"});
  }
  DL_RETURN_IF_ERROR(records.status());
  return std::make_shared<Source>(written, *std::move(records));
}

bool FolderView::IsOutdated(const Source& source) const {
  return DataFolder::Holder(data_dir_) || LastWrite(data_dir_) != source.written();
}

std::shared_ptr<FolderView::Source> FolderView::Current() {
  MutexLock lock(mutex_);
  return source_;
}

void FolderView::Run() {
  std::shared_ptr<Source> current = Current();
  while (true) {
    {
      MutexLock lock(mutex_);
      if (!stop_ && !check_requested_) changed_.WaitFor(mutex_, kCheckInterval);
      if (stop_) return;
      check_requested_ = false;
    }
    StatusOr<std::shared_ptr<Source>> found = FindSource(current);
    // A process may take or leave the folder at this moment. The next look finds out.
    if (!found.ok() || *found == current) continue;
    current = *std::move(found);
    MutexLock lock(mutex_);
    source_ = current;
    changed_.NotifyAll();
  }
}

std::shared_ptr<FolderView::Source> FolderView::WaitForNext(const std::shared_ptr<Source>& old,
                                                            Duration limit) {
  const Instant end = Clock::Real().Now() + limit;
  MutexLock lock(mutex_);
  while (source_ == old && !stop_) {
    const Duration left = end - Clock::Real().Now();
    if (left <= Duration::zero()) break;
    check_requested_ = true;
    changed_.NotifyAll();
    changed_.WaitFor(mutex_, std::min<Duration>(left, kCheckInterval));
  }
  return source_;
}

template <typename Ask>
auto FolderView::AskSource(Duration deadline, Ask ask) {
  using Reply = std::invoke_result_t<Ask, Source&>;
  const std::shared_ptr<Source> source = Current();
  const bool has_records = source->address().empty();
  // The records that were read are not shown any more. The folder may come back.
  if (has_records && !HasStore(data_dir_)) return Reply(FolderDeleted(data_dir_));
  Reply reply = ask(*source);
  const bool has_changed = has_records ? absl::IsNotFound(reply.status()) && IsOutdated(*source)
                                       : absl::IsUnavailable(reply.status());
  if (!has_changed) return reply;
  if (!HasStore(data_dir_)) return Reply(FolderDeleted(data_dir_));
  const std::shared_ptr<Source> next = WaitForNext(source, std::min(deadline, kNextWithin));
  return next == source ? reply : ask(*next);
}

StatusOr<rpc::QueryReply> FolderView::Query(const rpc::QueryRequest& request, Duration deadline) {
  return AskSource(deadline, [&](Source& source) -> StatusOr<rpc::QueryReply> {
    DL_ASSIGN_OR_RETURN(rpc::QueryReply reply, source.clients().Query(request, deadline));
    using enum rpc::QueryKind;
    const bool has_state = request.what == kJob || request.what == kJobs || request.what == kResult;
    if (!has_state || !source.address().empty()) return reply;
    DL_ASSIGN_OR_RETURN(Json json, ParseJson(reply.json, "jobs"));
    if (json.is_array()) {
      for (Json& job : json) MarkInterrupted(job);
    } else {
      MarkInterrupted(json);
    }
    reply.json = JsonText(json);
    return reply;
  });
}

StatusOr<rpc::EventsReply> FolderView::Events(const rpc::EventsRequest& request,
                                              Duration deadline) {
  return AskSource(deadline,
                   [&](Source& source) { return source.clients().Events(request, deadline); });
}

StatusOr<rpc::Chunk> FolderView::FetchCheckpoint(const rpc::FetchRequest& request,
                                                 Duration deadline) {
  return AskSource(deadline, [&](Source& source) {
    return source.clients().FetchCheckpoint(request, deadline);
  });
}

// A source that took the place of another one has no such reader.
Status FolderView::EndRead(const rpc::EndReadRequest& request, Duration deadline) {
  return Current()->clients().EndRead(request, deadline);
}

StatusOr<rpc::Chunk> FolderView::FetchBlock(const rpc::FetchRequest& request, Duration deadline) {
  return AskSource(deadline,
                   [&](Source& source) { return source.clients().FetchBlock(request, deadline); });
}

StatusOr<rpc::MissingBlocksReply> FolderView::MissingBlocks(const rpc::MissingBlocksRequest&,
                                                            Duration) {
  return OnlyRead();
}
Status FolderView::PutBlocks(const rpc::PutBlocksRequest&, Duration) { return OnlyRead(); }
StatusOr<rpc::SubmitReply> FolderView::Submit(const rpc::SubmitRequest&, Duration) {
  return OnlyRead();
}
StatusOr<rpc::JobActionReply> FolderView::Act(const rpc::JobActionRequest&, Duration) {
  return OnlyRead();
}
StatusOr<rpc::DrainReply> FolderView::Drain(const rpc::DrainRequest&, Duration) {
  return OnlyRead();
}
StatusOr<rpc::MeasureReply> FolderView::Measure(const rpc::MeasureRequest& request,
                                                Duration deadline) {
  return Current()->clients().Measure(request, deadline);
}

}  // namespace dl::launch
