// Keys of the meta store (docs/formats.md). Numbers are fixed-width decimals, so that key order is
// numeric order. The number of a rollback (SetAside) has no fixed width.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/str_format.h"

namespace dl::master {

// A report of an ended job, which is stored when the job ends.
enum class ReportKind { kResult, kJob, kCheckpoints };
inline constexpr ReportKind kReportKinds[] = {ReportKind::kResult, ReportKind::kJob,
                                              ReportKind::kCheckpoints};

}  // namespace dl::master

namespace dl::master::keys {

inline constexpr char kTerm[] = "master/term";
// Secret of the data folder. Tickets and the choice of units that are computed twice depend on it.
inline constexpr char kSecret[] = "master/secret";
inline constexpr char kJobsCreated[] = "master/jobs";
inline constexpr char kJobPrefix[] = "job/";
inline constexpr char kSpecPrefix[] = "spec/";
inline constexpr char kCheckpointPrefix[] = "checkpoint/";
inline constexpr char kNumberPrefix[] = "number/";
inline constexpr char kRequestPrefix[] = "request/";
inline constexpr char kQuarantinePrefix[] = "quarantine/";

inline std::string Job(const std::string& id) { return "job/" + id; }
inline std::string Spec(const std::string& id) { return "spec/" + id; }
inline constexpr char kManifestPrefix[] = "manifest/";
inline std::string TrainManifest(const std::string& id) { return "manifest/" + id + "/train"; }
inline std::string TestManifest(const std::string& id) { return "manifest/" + id + "/test"; }
// The blocks of the job's initial weights. Missing: state 0 comes from the seed.
inline std::string InitialWeights(const std::string& id) { return "manifest/" + id + "/weights"; }
inline std::string LogPrefix(const std::string& id) { return "log/" + id + "/"; }
inline std::string LogRecord(const std::string& id, int64_t index) {
  return absl::StrFormat("log/%s/%012d", id, index);
}
// The last numbers of a job's events (EventSequence), and the events. The key of a RoundEvent has
// its sequence number. Keys of other events have the number EventSequence::others. Keys contain the
// thousand, so that a thousand events can be deleted at once.
inline std::string EventSequence(const std::string& id) { return "told/" + id; }
inline std::string EventPrefix(const std::string& id) { return "event/" + id + "/"; }
inline std::string RoundEventPrefix(const std::string& id) { return "round_event/" + id + "/"; }
inline std::string EventThousand(const std::string& prefix, int64_t number) {
  return absl::StrFormat("%s%012d/", prefix, number / 1000);
}
inline std::string Event(const std::string& id, int64_t number) {
  return absl::StrFormat("%s%03d", EventThousand(EventPrefix(id), number), number % 1000);
}
inline std::string RoundEvent(const std::string& id, int64_t sequence) {
  return absl::StrFormat("%s%03d", EventThousand(RoundEventPrefix(id), sequence), sequence % 1000);
}
// The record that a job was deleted, until its manifests and blocks are deleted (CollectDeleted).
inline constexpr char kDeletedPrefix[] = "deleted/";
inline std::string Deleted(const std::string& id) { return "deleted/" + id; }
// The note of the last upload of a block: its time, charge and token (UnnamedBlocks::NoteText).
// Removed when a job names the block.
inline constexpr char kUploadedPrefix[] = "uploaded/";
inline std::string Uploaded(const std::string& sha256) { return "uploaded/" + sha256; }
inline std::string ManifestPrefix(const std::string& id) { return "manifest/" + id + "/"; }
// The end of the log (LogHead).
inline std::string LogHead(const std::string& id) { return "head/" + id; }
inline std::string CheckpointPrefix(const std::string& id) { return "checkpoint/" + id + "/"; }
inline std::string Checkpoint(const std::string& id, int64_t round) {
  return absl::StrFormat("checkpoint/%s/%012d", id, round);
}
// A checkpoint that this rollback set aside. No other key of a checkpoint contains a "~".
inline std::string SetAside(const std::string& id, int64_t round, int64_t rollback) {
  return absl::StrFormat("checkpoint/%s/%012d~%d", id, round, rollback);
}
// The job has checkpoints that are deleted later (Checkpoints::PruneCheckpoints).
inline constexpr char kDuePrefix[] = "due/";
inline std::string DueCheckpoints(const std::string& id) { return kDuePrefix + id; }
// The current name of the checkpoint from which an ended job began, if it was set aside after the
// job's record was written.
inline std::string RenamedSource(const std::string& id) { return "source/" + id; }
// The durable part of Attestations: executors on whose unconfirmed results committed rounds, or the
// source of the job, rest.
inline std::string Unverified(const std::string& id) { return "unverified/" + id; }
inline std::string EndedPrefix(const std::string& id) { return "ended/" + id + "/"; }
inline std::string Ended(const std::string& id, ReportKind report) {
  constexpr const char* kNames[] = {"result", "job", "checkpoints"};
  return EndedPrefix(id) + kNames[static_cast<int>(report)];
}
// The id of the job with this number of submission.
inline std::string Number(uint64_t number) { return absl::StrFormat("number/%012d", number); }
// The answer to a client's request. The key has a number, so that the oldest can be deleted.
inline std::string Request(uint64_t number, const std::string& id) {
  return absl::StrFormat("request/%012d/%s", number, id);
}
// The incarnation of an executor that was told to leave.
inline constexpr char kLeavingPrefix[] = "leaving/";
inline std::string Leaving(const std::string& executor) { return "leaving/" + executor; }
inline std::string Quarantined(const std::string& executor) { return "quarantine/" + executor; }
// An executor that was registered with a token when the token lost its trust. Names of executors
// contain no "/".
inline std::string OfToken(const std::string& token, const std::string& executor) {
  return token + "/" + executor;
}
inline constexpr char kKnownPrefix[] = "known/";
inline std::string KnownOfToken(const std::string& token, const std::string& executor) {
  return kKnownPrefix + OfToken(token, executor);
}

}  // namespace dl::master::keys
