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
  // Callbacks on one of the executor's threads; each may be null. on_joined: a session has begun,
  // the first or one after a loss. on_waiting: the registration failed and will be repeated. Called
  // once per reason, and replaced by a warning if null. on_refused: the executor gives up its
  // registration and ends (executor/core/registration.h).
  std::function<void()> on_joined;
  std::function<void(const Status&why)> on_waiting, on_refused;
  // Called on one of the executor's threads when this process should be replaced by a new one: the
  // master asks for it, or a thread is lost. Null: it cannot be replaced, and a warning is logged.
  std::function<void(const std::string& why)> on_restart;
  // Called on one of the executor's threads when the executor has left: after the goodbye, even if
  // it failed, or at once if there is no session. Not called after on_refused, and not called if
  // the executor is destroyed first. May be null.
  std::function<void()> on_left;
  // Called on the executor's threads with the running units of each heartbeat, and with each unit
  // that begins. Must return soon. May be null.
  std::function<void(const std::vector<rpc::UnitProgress>& running)> on_progress;
  rpc::ExecutorService* master = nullptr;  // not null; must outlive the executor
  // Shared with calls to its disk that hang when the executor ends. Null: no cache.
  std::shared_ptr<storage::BlockCache> block_cache;
  // Moves states between executor and master; must outlive the executor. Null: in chunks over
  // `master`.
  StateExchange* exchange = nullptr;
  CrashNote* crash_note = nullptr;              // must outlive the executor; null: no note
  int64_t part_cache_bytes = int64_t{2} << 30;  // for fetched parts of states
  int64_t block_memory_bytes = limits::kDecodedBlockCacheBytes;  // for decoded blocks
  HeldResults::Options held;  // results of rounds that are gathered
};

}  // namespace dl::executor
