// What is fuzzed: a function of bytes that reads them as a user's or a peer's, and ends the process
// where what came of it is not what its header promises. One row each in targets.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"

namespace dl::fuzz {

struct Target {
  std::string_view name;                // and its folder in tests/fuzz/corpus
  bool (*run)(std::string_view bytes);  // whether they were accepted
};
std::span<const Target> Targets();
const Target* FindTarget(std::string_view name);  // nullptr when unknown

// Ends the process, saying what, when it is false.
void Require(bool holds, std::string_view what);
// Of an error that people read: it says what, where and what to do.
void RequireGoodError(const Status& status);

// Puts the bytes into a file of this process's own, over what was in it; its path.
std::string WriteInput(std::string_view bytes, const std::string& name = "input");

// Takes the first byte, which chooses between ways to read the rest. 0: there is none.
uint8_t TakeChoice(std::string_view& bytes);

// The targets, by the file that defines them.
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
bool FuzzImage(std::string_view bytes);        // images.cc
bool FuzzSafetensors(std::string_view bytes);  // weights.cc
bool FuzzWire(std::string_view bytes);         // wire.cc
bool FuzzStored(std::string_view bytes);       // stored.cc
bool FuzzMetrics(std::string_view bytes);      // metrics.cc

}  // namespace dl::fuzz
