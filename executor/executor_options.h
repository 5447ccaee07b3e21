// What an executor is made of, and whom it tells of what becomes of it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/limits.h"
#include "base/status.h"
#include "executor/core/core_options.h"
#include "executor/crash_note.h"
#include "executor/held_results.h"
#include "executor/state_exchange.h"
#include "rpc/service.h"
#include "storage/block_cache.h"

namespace dl::executor {

struct ExecutorOptions {
  CoreOptions core;
  // Called on a thread of the executor's. A session with the master has begun, after each loss of
  // one again; there is none to be had for now (a warning says so where nobody is told), said once;
  // there will never be one, and the executor does nothing more.
  std::function<void()> on_joined;
  std::function<void(const Status&why)> on_waiting, on_refused;
  // Called, on a thread of the executor's, when the master asks for another process in place of
  // this one. Null: there is none to be had, a warning says so.
  std::function<void(const std::string& why)> on_start_anew;
  // Called, on a thread of the executor's, when it has said goodbye, whoever wanted that. May be
  // null.
  std::function<void()> on_left;
  rpc::ExecutorService* master = nullptr;      // outlives the executor
  storage::BlockCache* block_cache = nullptr;  // outlives it; null: none
  // How states come and go; outlives it. Null: in chunks over `master`.
  StateExchange* exchange = nullptr;
  CrashNote* crash_note = nullptr;  // outlives it; null: none
  int64_t part_cache_bytes = int64_t{2} << 30;
  int64_t block_memory_bytes = limits::kDecodedBlockCacheBytes;  // of decoded blocks
  HeldResults::Options held;                                     // of rounds that are gathered
};

}  // namespace dl::executor
