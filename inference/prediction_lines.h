// Formats predictions as lines of CSV with a header (RFC 4180) or JSON.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dl::inference {

// Form of the predictions of one output of the model.
struct PredictedOutput {
  std::string name;  // name of the layer if the model has several outputs; else empty
  // True: probabilities of classes. False: numbers.
  bool classifies = true;
  // True: sequences of classes, as many as the model finds in an example.
  bool transcribes = false;
  std::vector<std::string> class_names;  // empty: classes are named by their numbers
  int64_t units = 1;
  bool has_labels = false;  // the data has the correct answers
};

// The form of all lines of a file.
struct PredictionForm {
  enum class Kind { kCsv, kJsonLines };
  Kind kind = Kind::kCsv;
  std::vector<PredictedOutput> outputs;  // at least one
  bool has_files = false;                // each example is a file
  bool has_steps = false;                // each line is a step of an example
  // Number of classes in a line, most probable first. At most `units` are written.
  int64_t top_k = 1;
};

// The content of a line.
struct Prediction {
  int64_t example = 0, step = 0;  // indices from 0
  std::string_view file;          // path, if the form has files
  struct Answer {
    std::span<const float> values;  // [units]
    // The label in the data, if it has labels; negative: none for this example.
    int32_t label = 0;
    std::span<const float> targets = {};
    // Numbers that are added to `values` and `targets` in float64; empty: none.
    std::span<const double> origins = {};
    // For sequences of classes: the predicted classes and those in the data.
    std::vector<int32_t> classes = {};
    std::span<const int32_t> labels = {};
  };
  std::vector<Answer> answers;  // one per output
};

// Returns the index of the largest value, the first one among equals. NaN counts as the smallest
// value.
int64_t PredictedClass(std::span<const float> outputs);

// Returns the header of CSV, "" for JSON lines. Forms:
//   - "example,file,step,label,class,probability,class_2,probability_2\n" for classes.
//   - "example,target_1,target_2,output_1,output_2\n" for numbers; "target" and "output" for one.
//   - "example,labels,classes\n" for sequences of classes, with spaces between the classes.
// Columns "file" and "step" exist if the form has them, and "label", "labels" and "target" if the
// data has labels. If outputs have names, all names except "example", "file" and "step" begin with
// the name of their output, for example "sex.class". In JSON, "by_output" has then an object for
// each output, also if there is only one.
std::string PredictionHeader(const PredictionForm& form);

// Returns a line including its end. Numbers have the fewest digits that give the same float32, or
// the same float64 if their origin is not 0. JSON has null for a number that is not finite.
std::string PredictionLine(const PredictionForm& form, const Prediction& prediction);

}  // namespace dl::inference
