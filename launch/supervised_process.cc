#include "launch/supervised_process.h"

#include <csignal>

#include "absl/strings/str_cat.h"
#include "base/log.h"

namespace dl::launch {
namespace {

constexpr Duration kShortLife = std::chrono::seconds(10);
constexpr int kShortLives = 10;

}  // namespace

StatusOr<SupervisedProcess> SupervisedProcess::Start(SpawnOptions options) {
  SupervisedProcess supervised(std::move(options));
  DL_RETURN_IF_ERROR(supervised.Begin());
  return supervised;
}

Status SupervisedProcess::Begin() {
  DL_ASSIGN_OR_RETURN(process_, Spawner::Real().Start(options_));
  started_ = Clock::Real().Now();
  return absl::OkStatus();
}

Status SupervisedProcess::Check() {
  const auto ended = process_->Wait(Duration::zero());
  if (!ended.ok()) return absl::OkStatus();
  const bool short_life = Clock::Real().Now() - started_ < kShortLife;
  short_lives_ = short_life ? short_lives_ + 1 : 0;
  if (short_lives_ >= kShortLives) {
    return Unavailable(
        {.message = absl::StrCat("an executor does not stay up: it ", ToString(*ended), ", ",
                                 short_lives_, " times in a row"),
         .where = options_.err.path,
         .remedy = "Read its log; the job goes on when it is started again"});
  }
  LogDebug("an executor ", ToString(*ended), " and is started again; its log is ",
           options_.err.path);
  return Begin();
}

void SupervisedProcess::Stop() { (void)process_->Signal(SIGTERM); }

}  // namespace dl::launch
