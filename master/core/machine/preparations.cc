#include "master/core/machine/preparations.h"

#include <algorithm>
#include <utility>

namespace dl::master {

void Preparations::Prepare(Job& job, PrepareState effect) {
  job.phase = Phase::kPreparing;
  job.preparation.source = effect.source;
  effect.number = job.preparation.number = next_++;
  job.preparation.asked = effect;
  step_.Do(std::move(effect));
}

void Preparations::Survey(Job& job, int64_t round) {
  job.phase = Phase::kPreparing;
  job.preparation.number = next_++;
  SurveyLog survey{.job = job.definition.id,
                   .number = job.preparation.number,
                   .round = round,
                   .length = job.log.head.length,
                   .last_sha256 = job.log.head.last_sha256,
                   .commits_kept = incarnation_.options.commits_kept};
  if (const auto found = job.checkpoints.find(round); found != job.checkpoints.end())
    survey.place = std::max<int64_t>(0, found->second.place);
  for (const auto& [checkpoint, info] : job.checkpoints) survey.evaluations_of.insert(checkpoint);
  step_.Do(std::move(survey));
}

void Preparations::ReadAhead(Job& job) {
  job.phase = Phase::kPreparing;
  job.preparation.number = next_++;
  const int64_t from = job.at + 1 - job.log.places_from;
  DL_CHECK(from >= 0 && from < static_cast<int64_t>(job.log.places.size()));
  const auto begin = job.log.places.begin() + from;
  const int64_t count =
      std::min<int64_t>(incarnation_.options.commits_kept, job.log.places.end() - begin);
  step_.Do(ReadCommits{.job = job.definition.id,
                       .number = job.preparation.number,
                       .first_round = job.at + 1,
                       .places = {begin, begin + count}});
}

}  // namespace dl::master
