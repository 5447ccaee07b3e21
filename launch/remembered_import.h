// An earlier import of a source: its manifest, and the sentences that the import printed. An import
// that is taken from here prints them again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "dataset/manifest.h"
#include "dataset/readers/read_options.h"
#include "launch/sequence_steps.h"

namespace dl::launch {

struct RememberedImport {
  dataset::Manifest manifest;
  std::vector<std::string> warnings;
  std::vector<dataset::UnknownCategories> unknown;
  SequenceSteps sequence_steps;
};

// Returns nothing if there is no such file, or the file is damaged or of another version.
std::optional<RememberedImport> ReadRememberedImport(const std::string& path);

// Replaces the file at once, in a folder of this user alone.
Status RememberImport(const std::string& path, const RememberedImport& import);

}  // namespace dl::launch
