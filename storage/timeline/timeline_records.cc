#include "storage/timeline/timeline_records.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "base/stored_document.h"

namespace dl::storage {
namespace {

// Keys contain the thousand, so that a thousand rounds can be deleted at once.
constexpr int64_t kThousand = 1000;

constexpr auto kRoundsKeys = [](auto& keys, auto& rounds) {
  keys.Value("first", rounds.first, {.required = true, .min = 1});
  keys.Value("last", rounds.last, {.required = true, .min = 0});
};

std::string TrainingPrefix(const std::string& job) {
  return timeline_keys::Prefix(job) + "training/";
}
std::string EvaluationPrefix(const std::string& job) {
  return timeline_keys::Prefix(job) + "evaluation/";
}
std::string ThousandOf(const std::string& prefix, int64_t round) {
  return absl::StrFormat("%s%09d", prefix, round / kThousand);
}
std::string KeyOf(const std::string& prefix, int64_t round) {
  return absl::StrFormat("%s%03d", ThousandOf(prefix, round), round % kThousand);
}

}  // namespace

std::string RecordText(const TimelineRounds& rounds) {
  return JsonText(WriteDocument(kTimelineRoundsDocument, rounds, kRoundsKeys));
}

StatusOr<TimelineRounds> ParseTimelineRounds(std::string_view text, std::string_view where) {
  auto json = ParseJson(text, where);
  if (!json.ok()) return StoredDocumentError(kTimelineRoundsDocument, json.status(), where);
  return ReadDocument<TimelineRounds>(kTimelineRoundsDocument, *json, where, kRoundsKeys);
}

namespace timeline_keys {

std::string Prefix(const std::string& job) { return "timeline/" + job + "/"; }
std::string Rounds(const std::string& job) { return Prefix(job) + "rounds"; }
std::string ExecutorPrefix(const std::string& job) { return Prefix(job) + "executor/"; }
std::string Executor(const std::string& job, int32_t number) {
  return absl::StrFormat("%s%04d", ExecutorPrefix(job), number);
}
std::string Training(const std::string& job, int64_t round) {
  return KeyOf(TrainingPrefix(job), round);
}
std::string Evaluation(const std::string& job, int64_t round) {
  return KeyOf(EvaluationPrefix(job), round);
}

}  // namespace timeline_keys

void AppendTraining(MetaBatch& batch, const std::string& job, TimelineRounds& rounds, int64_t round,
                    const RoundTimeline& timeline) {
  if (round > rounds.last + 1 || round < rounds.first) {
    for (const std::string& prefix : {TrainingPrefix(job), EvaluationPrefix(job)})
      batch.DeletePrefix(prefix);
    rounds.first = round;
  }
  rounds.last = round;
  batch.Put(timeline_keys::Training(job, round), EncodeTimeline(timeline));
  batch.Delete(timeline_keys::Evaluation(job, round));  // that of an earlier computation
  const int64_t kept_from = round - kTimelineRounds;
  if (kept_from > 0 && kept_from % kThousand == 0) {
    for (const std::string& prefix : {TrainingPrefix(job), EvaluationPrefix(job)})
      batch.DeletePrefix(ThousandOf(prefix, kept_from - kThousand));
    rounds.first = std::max(rounds.first, kept_from);
  }
  batch.Put(timeline_keys::Rounds(job), RecordText(rounds));
}

void ForgetTimelineAfter(MetaBatch& batch, const std::string& job, TimelineRounds& rounds,
                         int64_t round) {
  if (round >= rounds.last) return;
  rounds.last = round;
  rounds.first = std::min(rounds.first, round + 1);
  batch.Put(timeline_keys::Rounds(job), RecordText(rounds));
}

}  // namespace dl::storage
