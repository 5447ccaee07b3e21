// Keys of the meta store (docs/formats.md). Numbers are fixed-width decimals, so that key order is
// numeric order.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/str_format.h"

namespace dl::master::keys {

inline constexpr char kTerm[] = "master/term";
// Of the data folder: which units are computed twice is a function of it.
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
// The blocks of the weights that the job begins with; none: it begins by the seed.
inline std::string InitialWeights(const std::string& id) { return "manifest/" + id + "/weights"; }
inline std::string LogPrefix(const std::string& id) { return "log/" + id + "/"; }
inline std::string LogRecord(const std::string& id, int64_t index) {
  return absl::StrFormat("log/%s/%012d", id, index);
}
// How far a job's events are numbered (Told), and the events: those of rounds by their sequence
// number, others by their own. By the thousand, so that a thousand are forgotten at once.
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
// A job was deleted, and blocks that its manifests name may not have been yet.
inline constexpr char kDeletedPrefix[] = "deleted/";
inline std::string Deleted(const std::string& id) { return "deleted/" + id; }
// A block that was brought and that no job may name yet.
inline constexpr char kUploadedPrefix[] = "uploaded/";
inline std::string Uploaded(const std::string& sha256) { return "uploaded/" + sha256; }
inline std::string ManifestPrefix(const std::string& id) { return "manifest/" + id + "/"; }
// Where the log ends (LogHead).
inline std::string LogHead(const std::string& id) { return "head/" + id; }
inline std::string CheckpointPrefix(const std::string& id) { return "checkpoint/" + id + "/"; }
inline std::string Checkpoint(const std::string& id, int64_t round) {
  return absl::StrFormat("checkpoint/%s/%012d", id, round);
}
// A checkpoint that this rollback set aside. No other key of a checkpoint has a "~".
inline std::string SetAside(const std::string& id, int64_t round, int64_t rollback) {
  return absl::StrFormat("checkpoint/%s/%012d~%d", id, round, rollback);
}
// The present name of the checkpoint that an ended job began from: it was set aside after the job's
// record was written.
inline std::string RenamedSource(const std::string& id) { return "source/" + id; }
// Executors whose word alone some committed round rests on.
inline std::string Unverified(const std::string& id) { return "unverified/" + id; }
// The answer to the query `what` about a job that ended.
inline std::string EndedPrefix(const std::string& id) { return "ended/" + id + "/"; }
inline std::string Ended(const std::string& id, const std::string& what) {
  return EndedPrefix(id) + what;
}
// The id of the job that was submitted as that one.
inline std::string Number(uint64_t number) { return absl::StrFormat("number/%012d", number); }
// Numbered, so that the oldest can be forgotten.
inline std::string Request(uint64_t number, const std::string& id) {
  return absl::StrFormat("request/%012d/%s", number, id);
}
// An executor was told to leave: its incarnation.
inline constexpr char kLeavingPrefix[] = "leaving/";
inline std::string Leaving(const std::string& executor) { return "leaving/" + executor; }
inline std::string Quarantined(const std::string& executor) { return "quarantine/" + executor; }
// An executor that was registered with a token when this token lost its trust. The name of an
// executor has no "/".
inline std::string OfToken(const std::string& token, const std::string& executor) {
  return token + "/" + executor;
}
inline constexpr char kKnownPrefix[] = "known/";
inline std::string KnownOfToken(const std::string& token, const std::string& executor) {
  return kKnownPrefix + OfToken(token, executor);
}

}  // namespace dl::master::keys
