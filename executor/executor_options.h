// Options of an executor: its resources, and callbacks for changes of its state.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/limits.h"
#include "base/status.h"
#include "executor/core/executor_core_options.h"
#include "executor/crash_note.h"
#include "executor/held_results.h"
#include "executor/state_exchange.h"
#include "rpc/messages.h"
#include "rpc/service.h"
#include "storage/block_cache.h"

namespace dl::executor {

struct ExecutorOptions {
  CoreOptions core;
  // Called on one of the executor's threads when a session has begun: the first session, or another
  // one after a loss. May be null.
  std::function<void()> on_joined;
  // Called on one of the executor's threads. on_waiting: a registration failed and will be
  // repeated. It is called again only after a session, or if the code of the error changes. If it
  // is null, a warning is logged instead. on_refused: the executor gives up its registration and
  // ends (executor/core/registration.h). May be null.
  std::function<void(const Status&why)> on_waiting, on_refused;
  // Called on one of the executor's threads when this process should be replaced by a new one: the
  // master asks for it, or a thread is lost. Null: it cannot be replaced, and a warning is logged.
  std::function<void(const std::string& why)> on_restart;
  // Called on one of the executor's threads when the executor has left: after the goodbye, even if
  // it failed, or at once if there is no session. Not called after on_refused, and not called if
  // the executor is destroyed first. May be null.
  std::function<void()> on_left;
  // Called on several of the executor's threads, perhaps at the same time: on_progress for each
  // heartbeat with all units that it lists, on_began and on_ended on the thread of a slot before
  // and after it computes a unit. Must return soon. Each may be null.
  std::function<void(const std::vector<rpc::UnitProgress>& running)> on_progress;
  std::function<void(int32_t slot, const rpc::Lease& lease)> on_began;
  std::function<void(int32_t slot)> on_ended;
  rpc::ExecutorService* master = nullptr;  // not null; must outlive the executor
  // Shared with threads whose calls to the disk of the cache hang when the executor ends. Null: no
  // cache.
  std::shared_ptr<storage::BlockCache> block_cache;
  // Moves states between executor and master; must outlive the executor. Null: a ChunkedExchange
  // over `master` (executor/state_exchange.h).
  StateExchange* exchange = nullptr;
  CrashNote* crash_note = nullptr;              // must outlive the executor; null: no note
  int64_t part_cache_bytes = int64_t{2} << 30;  // of that ChunkedExchange, for fetched parts
  int64_t block_memory_bytes = limits::kDecodedBlockCacheBytes;  // for decoded blocks
  HeldResults::Options held;  // for results that wait for a gather (executor/held_results.h)
};

}  // namespace dl::executor
