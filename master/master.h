// A whole master in one process: stores, recovery, gateway. What `dl-submit master` serves over
// Thrift and local[N] calls directly.
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
  std::string data_dir;  // created when it is not there
  CoreOptions core;
  Kept kept;
  // How to open a folder whose disk has less room than the ordinary thresholds (storage/).
  enum class FullDisk {
    kWait,  // nothing is written below the thresholds
    kRead,  // the stores are only read; what changes is lost with the master
    kUse,   // the reserve is used up: for what gives space back
  };
  FullDisk full_disk = FullDisk::kWait;
  bool accept_loss = false;                     // storage/: rocks_meta_store.h, bulk_database.h
  bool drop_unsynced_on_kill = false;           // tests
  // Asked before each batch of records is written; an error is fatal. Null: every batch is written.
  std::function<Status()> may_write;
  std::function<void(const Status&)> on_fatal;  // the store failed: the process must end
  // Asked at the start of each job that an executor computed when the last master ended. An error
  // is why the job FAILS now. Null: all go on.
  std::function<Status(const std::string& job)> why_given_up;
};

class Master {
 public:
  // Opens the stores, raises the term, loads every job. Errors: another process has the folder, it
  // is damaged or newer, the disk is full.
  static StatusOr<std::unique_ptr<Master>> Open(const MasterOptions& options);

  Gateway& gateway() { return *gateway_; }
  // Last checkpoints of what runs; then only the destructor is left to call.
  void Shutdown(Duration limit) { gateway_->Shutdown(limit); }

 private:
  Master() = default;

  std::unique_ptr<storage::MetaStore> meta_;
  std::unique_ptr<storage::BulkDatabase> bulk_;
  std::unique_ptr<storage::BlobStore> blobs_;
  std::unique_ptr<storage::CheckpointStore> checkpoints_;
  std::unique_ptr<Gateway> gateway_;  // last: it ends first
};

}  // namespace dl::master
