// Measures how fast a table or a folder of images becomes blocks, without a master.
#pragma once

#include <cstdint>
#include <string>

#include "base/json.h"
#include "base/status.h"

namespace dl::bench {

enum class TableKind : uint8_t {
  kNumbers,   // 14 columns of numbers in several notations
  kWords,     // numbers, and in half of the columns categories and quoted texts
  kDecimals,  // 100 columns of numbers such as -1.2345
  kIntegers,  // 30 columns of whole numbers of up to 5 digits
};

struct ReadingPlan {
  std::string source;     // a table or a folder of images; empty: one is generated
  int64_t mib = 64;       // size of a generated table
  int64_t images = 2000;  // number of generated images: half PNG, half JPEG
  int64_t side = 128;     // of the examples, in pixels
  int64_t repeats = 3;
};

// Guesses a table, reads it and cuts its blocks, as `dl-submit import` does. Returns the least CPU
// and wall seconds of each stage, and megabytes of the table (10^6 bytes) per CPU second and per
// second of all stages. Returns the errors of the stages. `kind` is that of a generated table.
StatusOr<Json> MeasureTable(const ReadingPlan& plan, TableKind kind);

// Reads a folder of images and cuts its blocks. Returns images per CPU second and per second.
// Returns the errors of the stages.
StatusOr<Json> MeasureImages(const ReadingPlan& plan);

}  // namespace dl::bench
