// Predictions as lines: a table with a header (RFC 4180), or JSON.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dl::cli {

// What all lines of a file have in common.
struct PredictionForm {
  enum class Kind { kCsv, kJsonLines };
  Kind kind = Kind::kCsv;
  // Whether outputs are probabilities of classes; else they are numbers.
  bool classifies = true;
  std::vector<std::string> class_names;  // empty: classes are called by their numbers
  int64_t outputs = 1;
  bool has_files = false;   // an example is a file
  bool has_steps = false;   // a line is a step of an example
  bool has_labels = false;  // the data says what is right
  int64_t top_k = 1;        // classes of a line, the most probable first
};

struct Prediction {
  int64_t example = 0, step = 0;
  std::string_view file;
  std::span<const float> outputs;
  // The one that the data has, where it has labels.
  int32_t label = 0;
  std::span<const float> targets;
};

// The most probable class; of equal ones the first.
int64_t PredictedClass(std::span<const float> outputs);

// "example,file,step,label,class,probability,class_2,probability_2\n", or
// "example,target_1,target_2,output_1,output_2\n"; "" for JSON lines.
std::string PredictionHeader(const PredictionForm& form);

// With its line's end. Numbers have as few digits as give back the same float32; JSON has null
// where one is not finite.
std::string PredictionLine(const PredictionForm& form, const Prediction& prediction);

}  // namespace dl::cli
