// Predictions as lines: a table with a header (RFC 4180), or JSON.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dl::cli {

// What a line says of one of the model's outputs.
struct PredictedOutput {
  std::string name;  // the layer's, where there are several; else empty
  // Whether they are probabilities of classes; else they are numbers.
  bool classifies = true;
  // Whether they are, instead, classes in their order, as many as the model tells of an example.
  bool transcribes = false;
  std::vector<std::string> class_names;  // empty: classes are called by their numbers
  int64_t units = 1;
  bool has_labels = false;  // the data says what is right
};

// What all lines of a file have in common.
struct PredictionForm {
  enum class Kind { kCsv, kJsonLines };
  Kind kind = Kind::kCsv;
  std::vector<PredictedOutput> outputs;  // at least one
  bool has_files = false;                // an example is a file
  bool has_steps = false;                // a line is a step of an example
  int64_t top_k = 1;                     // classes of a line, the most probable first
};

struct Prediction {
  int64_t example = 0, step = 0;
  std::string_view file;
  struct Answer {
    std::span<const float> values;  // [units]
    // The one that the data has, where it has labels; negative: not of this example.
    int32_t label = 0;
    std::span<const float> targets = {};
    // Of sequences of classes, what was told and what the data has.
    std::vector<int32_t> classes = {};
    std::span<const int32_t> labels = {};
  };
  std::vector<Answer> answers;  // of each output
};

// The most probable class; of equal ones the first.
int64_t PredictedClass(std::span<const float> outputs);

// "example,file,step,label,class,probability,class_2,probability_2\n", or
// "example,target_1,target_2,output_1,output_2\n", or "example,labels,classes\n" with spaces
// between classes; "" for JSON lines. Of several outputs each name begins with its output's,
// "sex.class"; in JSON "by_output" has an object for each.
std::string PredictionHeader(const PredictionForm& form);

// With its line's end. Numbers have as few digits as give back the same float32; JSON has null
// where one is not finite.
std::string PredictionLine(const PredictionForm& form, const Prediction& prediction);

}  // namespace dl::cli
