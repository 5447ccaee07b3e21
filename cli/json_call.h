// Another dl-submit, called as a program: what it prints with --json.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/process.h"
#include "base/status.h"

namespace dl::cli {

struct JsonAnswer {
  std::vector<Json> said;  // the objects on its standard output, a line each
  std::string last_words;  // the last line of its standard error that says something
  ExitStatus end;

  // The error that it ended with; OK where it ended well. Unavailable where it said none.
  Status error() const;
};

// `input` is on its standard input, and may hold a secret. Errors: those of starting it;
// DeadlineExceeded after limits::kHostLimit. Thread-safe.
StatusOr<JsonAnswer> CallForJson(const std::vector<std::string>& argv, const std::string& input);

}  // namespace dl::cli
