// Builds an ONNX model (github.com/onnx/onnx/blob/main/docs/IR.md) node by node. Only graph.cc
// uses ONNX's protobuf messages.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/files.h"
#include "base/status.h"

namespace dl::inference {

// The version of ONNX's operators, and that of the operators of its domain ai.onnx.ml.
inline constexpr int64_t kOnnxOpset = 17;
inline constexpr int64_t kOnnxMlOpset = 2;

// In a shape: the number of examples, which the caller of the model chooses.
inline constexpr int64_t kAnyExamples = -1;

enum class OnnxType : uint8_t { kFloat, kDouble, kInt64, kInt32, kUint8, kBool, kString };
std::string_view OnnxTypeName(OnnxType type);  // "float32", "int64", "string", ...
int64_t OnnxTypeCode(OnnxType type);           // the value of the attribute "to" of Cast

class OnnxGraph;

// An attribute of a node. A graph is the body of a node and must outlive the call that adds it.
struct OnnxAttribute {
  std::string_view name;
  std::variant<int64_t, float, std::string, std::vector<int64_t>, std::vector<float>,
               std::vector<std::string>, const OnnxGraph*>
      value;
};
using OnnxAttributes = std::vector<OnnxAttribute>;

struct OnnxNode {
  std::string_view op;
  std::vector<std::string> inputs;  // names of values; "" for an input that is left out
  OnnxAttributes attributes = {};
  std::string_view domain = {};  // "": ONNX's own operators
};

// A graph whose values are identified by unique names. Not thread-safe.
class OnnxGraph {
 public:
  // Begins the names of all values except weights with `prefix`. The body of a node needs a prefix
  // of its own, because it shares names with the graph around it.
  explicit OnnxGraph(std::string name, std::string prefix = "");
  ~OnnxGraph();
  OnnxGraph(const OnnxGraph&) = delete;
  OnnxGraph& operator=(const OnnxGraph&) = delete;

  // After the prefix, names of the values of later nodes and constants begin with `scope`, usually
  // the name of a layer.
  void SetScope(std::string scope);

  // Append a node. Add returns the name of its only output, AddSeveral the names of all outputs.
  std::string Add(OnnxNode node);
  std::vector<std::string> AddSeveral(OnnxNode node, size_t outputs);

  // Append a constant. The values are copied. An empty shape is a scalar.
  std::string Constant(std::span<const int64_t> values, std::vector<int64_t> shape);
  std::string Constant(std::span<const float> values, std::vector<int64_t> shape);
  std::string Constant(std::span<const double> values, std::vector<int64_t> shape);
  std::string Integers(std::vector<int64_t> values);  // a list
  std::string Scalar(float value);

  // Adds a weight under the name `name`, without prefix and scope. The values are copied. REQUIRES:
  // no value has this name.
  void AddWeight(const std::string& name, std::span<const float> values,
                 const std::vector<int64_t>& shape);

  // Declare an input or an output of the graph. Output adds a node that gives `value` the new name.
  // Return the name: the prefix and `name`, and a number if a value of this name exists.
  std::string Input(const std::string& name, OnnxType type, const std::vector<int64_t>& shape);
  std::string Output(const std::string& name, const std::string& value, OnnxType type,
                     const std::vector<int64_t>& shape);

  // Writes a model of this graph with the texts as its metadata. Equal graphs give equal bytes.
  // Returns errors of the sink, and ResourceExhausted above 2 GiB, the limit of protobuf.
  Status Write(const std::map<std::string, std::string>& metadata, ByteSink sink) const;

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

}  // namespace dl::inference
