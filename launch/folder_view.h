// The jobs of a data folder for readers, with and without a master.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "base/status.h"
#include "base/thread.h"
#include "rpc/service.h"

namespace dl::launch {

// Answers queries about a data folder. While another process holds the folder and answers calls,
// its master answers. Otherwise the answers come from the records, which are read once and again
// after each change. The view writes nothing and never holds the folder, so other processes may
// take it at any time. While the folder does not exist, calls return Unavailable. While no process
// holds the folder, unfinished jobs that are not paused have the state INTERRUPTED. Calls that
// change something, and MissingBlocks, return FailedPrecondition. Thread-safe.
class FolderView final : public rpc::ClientService {
 public:
  // Returns NotFound if no master has stored its state in the folder. Returns Unavailable if other
  // processes change the records again and again while they are read, and FailedPrecondition if
  // another process holds the folder but answers no calls. Also returns errors of
  // master::Master::Open and ConnectAs.
  static StatusOr<std::unique_ptr<FolderView>> Open(const std::string& data_dir);
  ~FolderView() override;

  StatusOr<rpc::QueryReply> Query(const rpc::QueryRequest& request, Duration deadline) override;
  StatusOr<rpc::EventsReply> Events(const rpc::EventsRequest& request, Duration deadline) override;
  StatusOr<rpc::Chunk> FetchCheckpoint(const rpc::FetchRequest& request,
                                       Duration deadline) override;
  Status EndRead(const rpc::EndReadRequest& request, Duration deadline) override;
  StatusOr<rpc::Chunk> FetchBlock(const rpc::FetchRequest& request, Duration deadline) override;
  StatusOr<rpc::MissingBlocksReply> MissingBlocks(const rpc::MissingBlocksRequest& request,
                                                  Duration deadline) override;
  Status PutBlocks(const rpc::PutBlocksRequest& request, Duration deadline) override;
  StatusOr<rpc::SubmitReply> Submit(const rpc::SubmitRequest& request, Duration deadline) override;
  StatusOr<rpc::JobActionReply> Act(const rpc::JobActionRequest& request,
                                    Duration deadline) override;
  StatusOr<rpc::DrainReply> Drain(const rpc::DrainRequest& request, Duration deadline) override;
  StatusOr<rpc::MeasureReply> Measure(const rpc::MeasureRequest& request,
                                      Duration deadline) override;

 private:
  class Source;
  explicit FolderView(std::string data_dir) : data_dir_(std::move(data_dir)) {}

  // Returns the source that fits the folder now: `current` if nothing has changed.
  StatusOr<std::shared_ptr<Source>> FindSource(std::shared_ptr<Source> current) const;
  std::shared_ptr<Source> Current() DL_EXCLUDES(mutex_);
  // Whether another process has changed the folder since the records of `source` were read, or
  // holds it now. REQUIRES: `source` has records.
  bool IsOutdated(const Source& source) const;
  // Calls `ask` with the current source. If its master has ended, or its records are outdated and
  // lack what is asked for, waits for the next source and calls `ask` with that.
  template <typename Ask>
  auto AskSource(Duration deadline, Ask ask);
  // Returns the source after `old`, or `old` if there is no other one within `limit`.
  std::shared_ptr<Source> WaitForNext(const std::shared_ptr<Source>& old, Duration limit)
      DL_EXCLUDES(mutex_);
  // Looks for changes until the object is destroyed.
  void Run() DL_EXCLUDES(mutex_);

  const std::string data_dir_;
  Mutex mutex_;
  CondVar changed_;
  bool stop_ DL_GUARDED_BY(mutex_) = false;
  bool check_requested_ DL_GUARDED_BY(mutex_) = false;  // the thread looks for changes at once
  std::shared_ptr<Source> source_ DL_GUARDED_BY(mutex_);
  Thread thread_;
};

}  // namespace dl::launch
