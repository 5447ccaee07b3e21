#include "launch/clusters/batch_system.h"

#include "base/log.h"
#include "launch/clusters/slurm.h"

namespace dl::launch {

const BatchSystem& BatchSystemOf(const Target& target) {
  DL_CHECK(target.is_batch() || target.is_in_batch());
  static const Slurm slurm;
  return slurm;
}

}  // namespace dl::launch
