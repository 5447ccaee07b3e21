// Counts the bytes of a job's states and contributions that executors exchange with the master over
// connections. Vectors that local[N] shares in memory do not count.
#pragma once

#include <cstdint>

namespace dl::master {

struct Traffic {
  int64_t fetched = 0;      // bytes of states that executors fetched from the master
  int64_t contributed = 0;  // bytes of contributions and partial sums sent to the master

  Traffic& operator+=(const Traffic& other) {
    fetched += other.fetched;
    contributed += other.contributed;
    return *this;
  }
};

}  // namespace dl::master
