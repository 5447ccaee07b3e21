// The names of all recorded spans (base/trace.h), and what each span measures. docs/operations.md
// lists them.
#pragma once

#include <string_view>

namespace dl::spans {

// The thread of a slot.
inline constexpr std::string_view kUnit = "unit";
inline constexpr std::string_view kContext = "context";
inline constexpr std::string_view kFetch = "fetch";
inline constexpr std::string_view kPrepare = "prepare";
inline constexpr std::string_view kLoad = "load";
inline constexpr std::string_view kBatch = "batch";
inline constexpr std::string_view kStep = "step";
inline constexpr std::string_view kStore = "store";
inline constexpr std::string_view kHash = "hash";
inline constexpr std::string_view kMeasure = "measure";
// Other threads of an executor.
inline constexpr std::string_view kRead = "read";
inline constexpr std::string_view kDecide = "decide";
inline constexpr std::string_view kLease = "lease";
inline constexpr std::string_view kAnnounce = "announce";
inline constexpr std::string_view kSend = "send";
// A master.
inline constexpr std::string_view kCore = "core";
inline constexpr std::string_view kCommit = "commit";
inline constexpr std::string_view kStage = "stage";
inline constexpr std::string_view kOpen = "open";
inline constexpr std::string_view kAdd = "add";
inline constexpr std::string_view kFinish = "finish";
inline constexpr std::string_view kAdvance = "advance";
inline constexpr std::string_view kName = "name";
// Calls over a connection.
inline constexpr std::string_view kCall = "call";
inline constexpr std::string_view kServe = "serve";

struct Meaning {
  std::string_view name, thread, meaning;
};

inline constexpr Meaning kAll[] = {
    {kUnit, "slot", "a unit on its slot, from its lease's arrival there to its outcome"},
    {kContext, "slot", "the job's documents: found, or fetched and parsed"},
    {kFetch, "slot", "the parts that the unit starts from: found, or fetched and checked"},
    {kPrepare, "slot", "the job's network and reader: found, or compiled"},
    {kLoad, "slot", "the state into the kernels' layouts"},
    {kBatch, "slot", "waiting for a minibatch"},
    {kStep, "slot", "forward, backward, update; an evaluation's forward"},
    {kStore, "slot", "the state out of the kernels' layouts"},
    {kHash, "slot", "the result's XXH3"},
    {kMeasure, "slot", "the result's largest magnitudes"},
    {kRead, "dl-prefetch", "a minibatch read ahead"},
    {kDecide, "executor", "a step of the executor's core, and starting what it decided"},
    {kLease, "lease", "asking for units until the answer, also while there are none"},
    {kAnnounce, "control", "an announcement until its answer"},
    {kSend, "bulk", "a contribution until its receipt"},
    {kCore, "core", "a step of the master's core"},
    {kCommit, "writer", "a batch of records: written and synced"},
    {kStage, "a connection's",
     "a chunk of a contribution: taken, and the whole checked behind the last"},
    {kOpen, "merge", "a round is opened: its sums are emptied"},
    {kAdd, "merge", "a contribution is added"},
    {kFinish, "merge", "what is left is added, the sums become a mean"},
    {kAdvance, "merge", "the strategy makes the next state of the mean"},
    {kName, "merge", "a state's SHA-256"},
    {kCall, "any", "a call to the master over a connection, until its answer"},
    {kServe, "a connection's", "the master's side of it"},
};

}  // namespace dl::spans
