#include "nn/backend/compute_scope.h"

#include <omp.h>

namespace dl::nn {

ComputeScope::ComputeScope(int threads) : threads_before_(omp_get_max_threads()) {
  omp_set_num_threads(threads);
  omp_set_dynamic(0);  // a smaller team than requested would divide a product differently
  if (threads > 1) {
#pragma omp parallel
    _mm_setcsr(kMxcsr);
  }
}

ComputeScope::~ComputeScope() { omp_set_num_threads(threads_before_); }

}  // namespace dl::nn
