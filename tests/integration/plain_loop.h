// A job computed without Paravane's cluster: one loop over rounds and workers, the engine, and the
// merge of a whole round at once. What every cluster has to equal.
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
  std::vector<float> unit;              // what every worker begins from next, but for its own parts
  std::vector<std::vector<float>> own;  // by worker, its vector behind its last unit
  std::vector<float> outer;             // what an outer optimizer remembers
  std::vector<float> ema;               // the moving average of the model; empty: there is none
  int64_t updates = 0;                  // of the updater's state at the end
};
// The end of a job whose full state another one begins from.
struct PlainBegin {
  std::vector<float> unit;      // empty: the initial state of the spec's seed
  int64_t earlier_updates = 0;  // that its updater's state has seen
};
// Reads the spec's training source itself. Policies average and reset.
StatusOr<PlainResult> TrainPlainly(const job::JobSpec& spec, const PlainBegin& begin = {});

// One machine without any averaging: the minibatches of a round's M workers are one batch of M·b.
// REQUIRES an averaging frequency of 1.
StatusOr<PlainResult> TrainInOneBatch(const job::JobSpec& spec);

}  // namespace dl::test
