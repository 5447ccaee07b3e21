// Computes a job without Paravane's cluster: one loop over rounds and workers with the engine, and
// a merge of each whole round. Every cluster must compute the same result.
#pragma once

#include <string>
#include <vector>

#include "averaging/strategy.h"
#include "base/status.h"
#include "job/job_spec.h"

namespace dl::test {

struct PlainResult {
  std::string state_sha256;
  std::shared_ptr<const averaging::Strategy> strategy;
  std::vector<float> unit;              // what every worker starts the next round from, except for
                                        // its own parts
  std::vector<std::vector<float>> own;  // each worker's vector after its last unit
  std::vector<float> outer;             // state of the outer optimizer
  std::vector<float> ema;               // moving average of the model; empty if there is none
  int64_t updates = 0;                  // number of updates in the updater's state at the end
};
// The end of a job that another job starts from, with its full state.
struct PlainBegin {
  std::vector<float> unit;      // empty: the initial state of the spec's seed
  int64_t earlier_updates = 0;  // number of updates in the updater's state so far
};
// Trains the job. Reads the spec's training source itself. Supports the updater-state policies
// average and reset.
StatusOr<PlainResult> TrainPlainly(const job::JobSpec& spec, const PlainBegin& begin = {});

// Trains on one machine without averaging: the minibatches of a round's M workers form one batch of
// M·b examples. REQUIRES: the averaging frequency is 1.
StatusOr<PlainResult> TrainInOneBatch(const job::JobSpec& spec);

}  // namespace dl::test
