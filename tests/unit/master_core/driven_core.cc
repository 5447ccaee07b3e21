#include "tests/unit/master_core/driven_core.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "master/core/record_keys.h"
#include "master/core/records/record_check.h"
#include "master/log_reading.h"
#include "master/series_folding.h"
#include "master/store_recovery.h"
#include "tests/unit/master_core/named_definitions.h"

namespace dl::master {

DrivenCore::DrivenCore(CoreOptions options) : options_(options) {
  storage::MetaBatch secret;
  secret.Put(keys::kSecret, std::to_string(kSecret));
  DL_CHECK(store.Write(secret).ok());
  Restart();
}

void DrivenCore::Restart() {
  auto recovered = LoadState(store, FindDefinition);
  DL_CHECK(recovered.ok());
  Output output;
  core_.emplace(options_, *std::move(recovered), now, output);
  Take(std::move(output));
}

const Job& DrivenCore::job(const std::string& id) const {
  if (const Job* found = core_->Find(id)) return *found;
  auto ended = FindEnded(const_cast<storage::MemoryMetaStore&>(store), id, FindDefinition);
  DL_CHECK(ended.ok() && *ended != nullptr);
  return stored_.insert_or_assign(id, Restored(**ended)).first->second;
}

void DrivenCore::Take(Output output) {
  DL_CHECK(std::all_of(output.ahead.begin(), output.ahead.end(), MayLeaveAhead));
  effects = std::move(output.ahead);
  Persist(output.batch);
  effects.insert(effects.end(), std::make_move_iterator(output.effects.begin()),
                 std::make_move_iterator(output.effects.end()));
  const Status held = checks_invariants ? core_->CheckInvariants() : absl::OkStatus();
  if (!held.ok()) std::fprintf(stderr, "%s\n", DescribeError(held).c_str());
  DL_CHECK(held.ok());
  AnswerReads();
}

void DrivenCore::Persist(const storage::MetaBatch& batch) {
  const Status readable = checks_invariants ? CheckReadable(batch) : absl::OkStatus();
  if (!readable.ok()) std::fprintf(stderr, "%s\n", DescribeError(readable).c_str());
  DL_CHECK(readable.ok());
  DL_CHECK(store.Write(batch).ok());
}

void DrivenCore::AnswerReads() {
  for (size_t i = 0; i < effects.size(); ++i) {
    std::optional<Event> answer;
    if (const auto* survey = std::get_if<SurveyLog>(&effects[i])) answer = Survey(store, *survey);
    if (const auto* read = std::get_if<ReadCommits>(&effects[i])) answer = Read(store, *read);
    if (const auto* fold = std::get_if<FoldSeries>(&effects[i])) answer = Fold(store, *fold);
    if (const auto* over = std::get_if<ReleaseJob>(&effects[i]);
        over != nullptr && !holds_back_ends)
      answer = EndRecorded{over->job, over->end};
    if (!answer) continue;
    Output output;
    core_->Step(*answer, {.now = now, .came = std::min(now, came), .wall_unix_ms = wall_unix_ms},
                output);
    Persist(output.batch);
    effects.insert(effects.end(), output.ahead.begin(), output.ahead.end());
    effects.insert(effects.end(), output.effects.begin(), output.effects.end());
    DL_CHECK(core_->CheckInvariants().ok());
  }
}

void DrivenCore::Do(const Event& event) {
  Output output;
  const Duration before = ThreadTime();
  core_->Step(event, {.now = now, .came = std::min(now, came), .wall_unix_ms = wall_unix_ms},
              output);
  spent = ThreadTime() - before;
  Take(std::move(output));
}

void DrivenCore::Wait(Duration time) {
  const Instant end = now + time;
  std::vector<Effect> all;
  while (now < end) {
    now = std::min(end, std::max(core_->NextDeadline(), now + std::chrono::milliseconds(1)));
    Do(Tick{});
    all.insert(all.end(), effects.begin(), effects.end());
  }
  effects = std::move(all);
}

const Answer* DrivenCore::AnswerTo(uint64_t token) const {
  for (const Effect& effect : effects) {
    const auto* answer = std::get_if<Answer>(&effect);
    if (answer != nullptr && answer->token == token) return answer;
  }
  return nullptr;
}

}  // namespace dl::master
