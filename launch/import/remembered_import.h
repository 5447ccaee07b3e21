// An earlier import of a source: its manifest, a sample of its examples, and the messages that it
// printed. They are printed again if the import is reused.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "dataset/example_sample.h"
#include "dataset/manifest.h"
#include "dataset/readers/read_options.h"
#include "launch/import/sequence_steps.h"

namespace dl::launch {

struct RememberedImport {
  dataset::Manifest manifest;
  std::vector<std::string> warnings;
  std::vector<dataset::UnknownCategories> unknown;
  SequenceSteps sequence_steps;
  dataset::ExampleSample sample;
};

// Returns nullopt if the file does not exist, cannot be read, is damaged or has another form.
std::optional<RememberedImport> ReadRememberedImport(const std::string& path);

// Replaces the file atomically, in a folder that only this user can access. Returns errors of the
// file system.
Status RememberImport(const std::string& path, const RememberedImport& import);

// Remembers in `folder` that the file `fingerprint`.json there has the import with this manifest,
// for SampleOfManifest(). Returns errors of the file system.
Status RememberManifest(const std::string& folder, const dataset::Manifest& manifest,
                        const std::string& fingerprint);

// Returns the sample of the dataset with this manifest, which is canonical JSON. Returns nullopt if
// `folder` has no such import.
std::optional<dataset::ExampleSample> SampleOfManifest(const std::string& folder,
                                                       const std::string& manifest);

}  // namespace dl::launch
