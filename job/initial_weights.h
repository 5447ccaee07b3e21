// Sources of a job's weights before the first step, as data: one type per source. Each type is its
// own builder and describes its JSON keys (nn/conf/field.h). A user may name a file. dl-submit
// reads it and replaces it by blocks of weights, so that the master does not need the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json_fwd.h"
#include "base/limits.h"
#include "base/one_of.h"
#include "base/segment_table.h"
#include "job/job_words.h"
#include "nn/conf/field.h"
#include "nn/conf/key_row.h"
#include "nn/conf/mistakes.h"
#include "nn/conf/model_config.h"

namespace dl::job {

// Each layer's weight_init, from the job's seed.
struct SeededWeights {
  static constexpr std::string_view kTag = "seed";

  bool operator==(const SeededWeights&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self&, Visit&&) {}
};

// Treatment of tensors of the model that the file lacks, or has in another shape: report an error,
// or initialize them from the seed.
enum class MissingTensors : uint8_t { kError, kSeed };
template <>
struct WordsOf<MissingTensors> {
  static constexpr std::string_view kWords[] = {"error", "seed"};
};

// Tensors of a safetensors file (huggingface.co/docs/safetensors), as written by PyTorch tools and
// by dl-submit export. Tensors are matched by name. launch/import/weights_import.h reads the file.
struct SafetensorsWeights {
  static constexpr std::string_view kTag = "safetensors";

  // File name, at most limits::kMaxPath bytes. Values may be float32, float16, bfloat16 or float64.
  std::string path;
  std::vector<std::string> names;  // "MINE=THEIRS": a tensor, or a layer with all its tensors
  MissingTensors missing = MissingTensors::kError;

  // Reads the model's tensor or layer `mine` from the file's tensor or layer `theirs`.
  SafetensorsWeights& Name(const std::string& mine, const std::string& theirs) {
    names.push_back(mine + "=" + theirs);
    return *this;
  }
  // Initializes tensors that the file lacks, or has in another shape, from the seed.
  SafetensorsWeights& OthersBySeed() {
    missing = MissingTensors::kSeed;
    return *this;
  }

  bool operator==(const SafetensorsWeights&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(
        nn::Field{
            .key = "path",
            .what = "the path of the weights",
            .max = limits::kMaxPath,
            .presence = nn::Field::Presence::kRequired,
            .meaning =
                "Path of a safetensors file with float32, float16, bfloat16 or float64 values"},
        self.path);
    visit(nn::Field{.key = "names",
                    .what = "a name",
                    .max = limits::kMaxPath,
                    .meaning =
                        "Names that differ in the file, as `MINE=THEIRS`. MINE is a tensor of the "
                        "model (`conv1.weight`) or a layer with all of its tensors (`conv1`)"},
          self.names);
    visit(nn::Field{.key = "missing",
                    .meaning = "If the file lacks a tensor or has it in another shape: `error`, or "
                               "`seed` = initialize the tensor by the seed"},
          self.missing);
  }
  void Check(const nn::ModelConfig& model, nn::Mistakes& mistakes) const;
};

// Weights that were imported from a file: the values of `tensors`, concatenated in this order as
// float32 little-endian, in blocks of limits::kWeightsBlockBytes. All other tensors are initialized
// from the seed.
struct ImportedWeights {
  static constexpr std::string_view kTag = "imported";

  std::vector<std::string> tensors;
  std::vector<std::string> blocks;  // SHA-256, 64 lower-case hex digits

  bool operator==(const ImportedWeights&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(nn::Field{.key = "tensors",
                    .what = "a tensor",
                    .max = limits::kMaxPath,
                    .presence = nn::Field::Presence::kRequired,
                    .meaning = "Tensors of the model that get these values. Other tensors are "
                               "initialized by the seed"},
          self.tensors);
    visit(nn::Field{.key = "blocks",
                    .what = "a block",
                    .max = 64,
                    .presence = nn::Field::Presence::kRequired,
                    .meaning = "SHA-256 of the blocks with the values"},
          self.blocks);
  }
  void Check(const nn::ModelConfig& model, nn::Mistakes& mistakes) const;
};

struct AllInitialWeights {
  using Variant = std::variant<SeededWeights, SafetensorsWeights, ImportedWeights>;
};
using InitialWeights = OneOf<AllInitialWeights>;

// Returns the name of the type in JSON: "seed", "safetensors" or "imported".
std::string_view TagOf(const InitialWeights& weights);
// Functions that nn/conf/field.h requires for a member type. DefaultsOf returns a default of each
// type; its argument is not used.
std::vector<InitialWeights> DefaultsOf(const InitialWeights*);
Json ToJson(const InitialWeights& weights);
void ReadValue(JsonObjectReader& reader, std::string_view key, InitialWeights& out);
// Checks the values and compares them with the model. `model` is null if it could not be read. Then
// only the lengths of the texts are checked, and whether required keys are missing.
void CheckInitialWeights(const InitialWeights& weights, const nn::ModelConfig* model,
                         nn::Mistakes& mistakes);
// Returns the rows of `initial_weights` and of all keys below it, for docs/job-spec.md.
std::vector<nn::KeyRow> InitialWeightsKeys();

// Returns whether initial weights can contain the segment: a parameter, or the running mean or
// variance of batch normalization.
bool HoldsWeights(const Segment& segment);

// Builder: weights::Safetensors("resnet18.safetensors").Name("stem", "conv1").OthersBySeed()
namespace weights {
inline SafetensorsWeights Safetensors(std::string path) {
  return {.path = std::move(path), .names = {}};
}
}  // namespace weights

}  // namespace dl::job
