// Bytes of a job's states and contributions that were sent over connections.
#pragma once

#include <cstdint>

namespace dl::master {

struct Traffic {
  int64_t fetched = 0;      // from the master
  int64_t contributed = 0;  // to it

  Traffic& operator+=(const Traffic& other) {
    fetched += other.fetched;
    contributed += other.contributed;
    return *this;
  }
};

}  // namespace dl::master
