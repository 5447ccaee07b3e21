// A complete master in one process: stores, recovery, gateway. The daemon of the master serves it
// over Thrift, and local[N] calls it directly.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/status.h"
#include "master/core/job/definition.h"
#include "master/gateway/gateway.h"
#include "storage/blob_store.h"
#include "storage/bulk_database.h"
#include "storage/checkpoint_store.h"
#include "storage/rocks_meta_store.h"

namespace dl::master {

struct MasterOptions {
  std::string data_dir;  // created if it does not exist
  CoreOptions core;
  RetentionPolicy kept;
  // How to open a folder whose disk has less free space than the usual thresholds (storage/).
  enum class FullDisk {
    kRefuse,  // Open returns ResourceExhausted
    kRead,    // only read the stores; changes are lost when the master ends
    kUse,     // use the reserve, for actions that free space
  };
  FullDisk full_disk = FullDisk::kRefuse;
  // With kRead: other processes may open the folder after Open has returned (bulk_database.h).
  bool shared = false;
  // Open damaged stores without the content that cannot be read (rocks_meta_store.h,
  // bulk_database.h).
  bool accept_loss = false;
  bool drop_unsynced_on_kill = false;  // tests
  // Called before each batch of records is written to the disk. An error counts as a failure of the
  // store (on_fatal). Empty: no check.
  std::function<Status()> may_write;
  // Called once, on a thread of the master, if the store failed: the process must end. REQUIRES:
  // not empty.
  std::function<void(const Status&)> on_fatal;
  // Called by Open for each job that was STARTING, RUNNING or RECOVERING when the last master
  // ended. If it returns an error, the job FAILS with it. Empty: all jobs continue.
  std::function<Status(const std::string& job)> why_given_up;
};

class Master {
 public:
  // Opens the stores, increases the term, and loads every job that has not ended. Deletes
  // checkpoints that no record names; after an accepted loss, moves them aside; with
  // FullDisk::kRead, keeps them. Errors are those of LoadState and of the stores: another process
  // uses them, they are damaged or of a newer version, or the disk is full.
  static StatusOr<std::unique_ptr<Master>> Open(const MasterOptions& options);

  Gateway& gateway() { return *gateway_; }
  // Requests last checkpoints of running jobs and waits for them, at most `limit`. When they are
  // durable, also after `limit`, requests to the core return Unavailable (Gateway::Shutdown). The
  // destructor ends the master.
  void Shutdown(Duration limit) { gateway_->Shutdown(limit); }

 private:
  Master() = default;

  std::unique_ptr<storage::MetaStore> meta_;
  std::unique_ptr<storage::BulkDatabase> bulk_;
  std::unique_ptr<storage::BlobStore> blobs_;
  std::unique_ptr<storage::CheckpointStore> checkpoints_;
  std::unique_ptr<Gateway> gateway_;  // last member, so that it is destroyed first
};

}  // namespace dl::master
