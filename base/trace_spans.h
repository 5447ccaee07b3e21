// The names of spans (base/trace.h), and what each span measures. docs/operations/watch.md lists
// them. Spans of the parts of a step are in base/trace_parts.h.
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

// A row of the list: the span's name, the thread that records it, and what it measures.
struct Meaning {
  std::string_view name, thread, meaning;
};

inline constexpr Meaning kAll[] = {
    {kUnit, "slot", "a unit on its slot, from the arrival of its lease to its outcome"},
    {kContext, "slot", "the documents of the job: found, or fetched and parsed"},
    {kFetch, "slot", "the parts from which the unit starts: found, or fetched and checked"},
    {kPrepare, "slot", "the network and the reader of the job: found, or compiled"},
    {kLoad, "slot", "copying the state into the layouts of the kernels"},
    {kBatch, "slot", "waiting for a minibatch"},
    {kStep, "slot", "forward, backward and update; in an evaluation forward"},
    {kStore, "slot", "copying the state out of the layouts of the kernels"},
    {kHash, "slot", "the XXH3 of the result"},
    {kMeasure, "slot", "the largest magnitudes of the result"},
    {kRead, "dl-prefetch", "reading a minibatch ahead"},
    {kDecide, "executor", "a step of the executor's core, and starting what it decided"},
    {kLease, "lease", "a request for units until its answer, also while no units exist"},
    {kAnnounce, "control", "an announcement until its answer"},
    {kSend, "bulk", "a contribution until its receipt"},
    {kCore, "core", "a step of the master's core"},
    {kCommit, "writer", "writing and syncing a batch of records"},
    {kStage, "a connection's",
     "receiving a chunk of a contribution; after the last chunk, checking the whole"},
    {kOpen, "merge", "opening a round: its sums are cleared"},
    {kAdd, "merge", "adding a contribution"},
    {kFinish, "merge", "adding the remaining contributions and computing the mean"},
    {kAdvance, "merge", "computing the next state from the mean, by the strategy"},
    {kName, "merge", "the SHA-256 of a state"},
    {kCall, "any", "a call to the master over a connection, until its answer"},
    {kServe, "a connection's", "the master's side of a call"},
};

}  // namespace dl::spans
