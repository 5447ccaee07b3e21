#include "averaging/job_strategy.h"

#include <utility>
#include <variant>

#include "averaging/average.h"
#include "averaging/moving_average.h"
#include "averaging/outer.h"
#include "nn/conf/segments.h"

namespace dl::averaging {
namespace {

struct Maker {
  StateLayout layout;

  std::shared_ptr<const Strategy> operator()(const job::Average&) {
    return std::make_shared<Average>(std::move(layout));
  }
  std::shared_ptr<const Strategy> operator()(const job::Outer& outer) {
    return std::make_shared<Outer>(std::move(layout),
                                   OuterStep{.learning_rate = outer.learning_rate,
                                             .momentum = outer.momentum,
                                             .nesterov = outer.nesterov});
  }
};

UpdaterStatePolicy PolicyOf(job::UpdaterState policy) {
  switch (policy) {
    case job::UpdaterState::kAverage:
      return UpdaterStatePolicy::kAverage;
    case job::UpdaterState::kReset:
      return UpdaterStatePolicy::kReset;
    case job::UpdaterState::kKeep:
      return UpdaterStatePolicy::kKeep;
  }
  return UpdaterStatePolicy::kAverage;
}

}  // namespace

StatusOr<std::shared_ptr<const Strategy>> MakeStrategy(const job::JobSpec& spec) {
  DL_ASSIGN_OR_RETURN(StateLayout layout,
                      StateLayout::Create(nn::FullTable(spec.model, spec.training.batch_size),
                                          PolicyOf(spec.training.updater_state)));
  std::shared_ptr<const Strategy> strategy =
      std::visit(Maker{std::move(layout)}, spec.training.strategy);
  if (spec.training.ema_decay > 0)
    strategy = std::make_shared<MovingAverage>(std::move(strategy), spec.training.ema_decay);
  return strategy;
}

}  // namespace dl::averaging
