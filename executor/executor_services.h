// Objects that the threads of an executor share: sources of jobs, blocks and states, the event
// queue of the core, and the computations.
#pragma once

#include <memory>
#include <utility>

#include "dataset/dataset.h"
#include "executor/block_fetcher.h"
#include "executor/computation.h"
#include "executor/executor_event_queue.h"
#include "executor/executor_options.h"
#include "executor/job_context.h"
#include "executor/state_exchange.h"

namespace dl::executor {

// Members are thread-safe, except `computations`.
struct ExecutorServices {
  explicit ExecutorServices(ExecutorOptions with)
      : options(std::move(with)),
        master(*options.master),
        blocks(master, options.block_cache),
        decoded(std::make_shared<dataset::DecodedBlockCache>(blocks, options.block_memory_bytes)),
        jobs(master, decoded),
        chunks(master, options.part_cache_bytes),
        exchange(options.exchange != nullptr ? *options.exchange : chunks) {}

  const ExecutorOptions options;
  rpc::ExecutorService& master;
  BlockFetcher blocks;
  std::shared_ptr<dataset::DecodedBlockCache> decoded;  // shared with the datasets
  JobContexts jobs;
  ChunkedExchange chunks;
  StateExchange& exchange;
  EventQueue events;
  Computations computations;
};

}  // namespace dl::executor
