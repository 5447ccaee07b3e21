// What is told of a job, as far as it is stored: a job's events outlive the master that told them.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/json.h"
#include "base/status.h"

namespace dl::master {

// Events of a job have sequence numbers 1, 2, 3, ... in the order in which they are told. Two
// things are stored of them (docs/formats.md): those of rounds, of which the last ones are kept, by
// their sequence number; and all others, numbered for themselves, so that a long job's rounds do
// not crowd them out.
struct Told {
  int64_t last = 0;    // sequence number
  int64_t others = 0;  // how many of no round there have been

  bool operator==(const Told&) const = default;
};

// "told/ID".
Json ToJson(const Told& told);
StatusOr<Told> ToldFromJson(const Json& json, std::string_view where);

}  // namespace dl::master
