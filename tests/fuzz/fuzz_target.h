// A fuzz target: a function that reads bytes as input of a user or a peer. It ends the process if
// the result breaks a promise of the header that it tests. targets.cc has a row for each target.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"

namespace dl::fuzz {

struct Target {
  std::string_view name;                // also the name of its folder in tests/fuzz/corpus
  bool (*run)(std::string_view bytes);  // returns whether the bytes were accepted
};
std::span<const Target> Targets();
const Target* FindTarget(std::string_view name);  // nullptr if unknown

// Ends the process and prints `what` if `holds` is false.
void Require(bool holds, std::string_view what);
// Requires that an error for users states what is wrong, where, and what to do.
void RequireGoodError(const Status& status);

// Writes the bytes to a file that belongs to this process, replacing its content. Returns its path.
std::string WriteInput(std::string_view bytes, const std::string& name = "input");

// Removes and returns the first byte, which chooses how to read the rest. 0 if there is no byte.
uint8_t TakeChoice(std::string_view& bytes);

// The targets, by the file that defines them:
bool FuzzJob(std::string_view bytes);  // documents.cc
bool FuzzManifest(std::string_view bytes);
bool FuzzBlock(std::string_view bytes);
bool FuzzCsv(std::string_view bytes);  // sources.cc
bool FuzzLibsvm(std::string_view bytes);
bool FuzzIdx(std::string_view bytes);
bool FuzzCifar(std::string_view bytes);
bool FuzzNpy(std::string_view bytes);
bool FuzzNpz(std::string_view bytes);
bool FuzzText(std::string_view bytes);
bool FuzzImage(std::string_view bytes);  // images.cc
bool FuzzArchive(std::string_view bytes);
bool FuzzSafetensors(std::string_view bytes);  // weights.cc
bool FuzzWire(std::string_view bytes);         // wire.cc
bool FuzzStored(std::string_view bytes);       // stored.cc
bool FuzzMetrics(std::string_view bytes);      // metrics.cc
bool FuzzHistograms(std::string_view bytes);   // histograms.cc

}  // namespace dl::fuzz
