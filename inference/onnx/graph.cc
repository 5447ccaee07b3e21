#include "inference/onnx/graph.h"

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <onnx/onnx_pb.h>

#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/overloaded.h"

namespace dl::inference {
namespace {

namespace pb = ::onnx;

constexpr int64_t kIrVersion = 8;  // of the release that defined opset 17
constexpr char kExamplesName[] = "examples";
constexpr int64_t kMaxBytes = (int64_t{1} << 31) - 1;

int32_t TypeCode(OnnxType type) { return static_cast<int32_t>(OnnxTypeCode(type)); }

template <typename T>
pb::TensorProto& SetTensor(std::span<const T> values, const std::vector<int64_t>& shape,
                           OnnxType type, pb::TensorProto& tensor) {
  tensor.set_data_type(TypeCode(type));
  for (const int64_t extent : shape) tensor.add_dims(extent);
  tensor.set_raw_data(values.data(), values.size_bytes());
  return tensor;
}

void SetValueInfo(const std::string& name, OnnxType type, const std::vector<int64_t>& shape,
                  pb::ValueInfoProto& info) {
  info.set_name(name);
  pb::TypeProto::Tensor& tensor = *info.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(TypeCode(type));
  pb::TensorShapeProto& dims = *tensor.mutable_shape();
  for (const int64_t extent : shape) {
    if (extent == kAnyExamples) {
      dims.add_dim()->set_dim_param(kExamplesName);
    } else {
      dims.add_dim()->set_dim_value(extent);
    }
  }
}

// Sets the value of an attribute that is not a graph.
void SetPlainAttribute(const OnnxAttribute& attribute, pb::AttributeProto& to) {
  std::visit(Overloaded{[&](int64_t value) {
                          to.set_type(pb::AttributeProto::INT);
                          to.set_i(value);
                        },
                        [&](float value) {
                          to.set_type(pb::AttributeProto::FLOAT);
                          to.set_f(value);
                        },
                        [&](const std::string& value) {
                          to.set_type(pb::AttributeProto::STRING);
                          to.set_s(value);
                        },
                        [&](const std::vector<int64_t>& values) {
                          to.set_type(pb::AttributeProto::INTS);
                          to.mutable_ints()->Add(values.begin(), values.end());
                        },
                        [&](const std::vector<float>& values) {
                          to.set_type(pb::AttributeProto::FLOATS);
                          to.mutable_floats()->Add(values.begin(), values.end());
                        },
                        [&](const std::vector<std::string>& values) {
                          to.set_type(pb::AttributeProto::STRINGS);
                          for (const std::string& value : values) to.add_strings(value);
                        },
                        [](const OnnxGraph*) {}},
             attribute.value);
}

// Passes the bytes of a message to a sink. Keeps the first error of the sink.
class SinkStream : public google::protobuf::io::CopyingOutputStream {
 public:
  explicit SinkStream(ByteSink sink) : sink_(sink) {}
  bool Write(const void* bytes, int size) override {
    if (status_.ok()) status_ = sink_({static_cast<const char*>(bytes), static_cast<size_t>(size)});
    return status_.ok();
  }
  const Status& status() const { return status_; }

 private:
  ByteSink sink_;
  Status status_;
};

}  // namespace

std::string_view OnnxTypeName(OnnxType type) {
  switch (type) {
    case OnnxType::kFloat:
      return "float32";
    case OnnxType::kDouble:
      return "float64";
    case OnnxType::kInt64:
      return "int64";
    case OnnxType::kInt32:
      return "int32";
    case OnnxType::kUint8:
      return "uint8";
    case OnnxType::kBool:
      return "bool";
    case OnnxType::kString:
      return "string";
  }
  return "unknown";
}

int64_t OnnxTypeCode(OnnxType type) {
  switch (type) {
    case OnnxType::kFloat:
      return pb::TensorProto::FLOAT;
    case OnnxType::kDouble:
      return pb::TensorProto::DOUBLE;
    case OnnxType::kInt64:
      return pb::TensorProto::INT64;
    case OnnxType::kInt32:
      return pb::TensorProto::INT32;
    case OnnxType::kUint8:
      return pb::TensorProto::UINT8;
    case OnnxType::kBool:
      return pb::TensorProto::BOOL;
    case OnnxType::kString:
      return pb::TensorProto::STRING;
  }
  return pb::TensorProto::UNDEFINED;
}

struct OnnxGraph::Content {
  pb::GraphProto graph;
  std::string prefix, scope;
  std::set<std::string> names;  // of all values
  bool uses_ml = false;

  // Returns a name that no value has: `name`, or `name` with a number.
  std::string Unique(const std::string& name) {
    std::string unique = name;
    for (int i = 2; !names.insert(unique).second; ++i) unique = absl::StrCat(name, "_", i);
    return unique;
  }
  std::string Scoped(const std::string& name) {
    return Unique(absl::StrCat(prefix, scope, scope.empty() ? "" : "/", name));
  }
  pb::TensorProto& NewConstant() {
    pb::TensorProto& tensor = *graph.add_initializer();
    tensor.set_name(Scoped("constant"));
    return tensor;
  }
};

OnnxGraph::OnnxGraph(std::string name, std::string prefix) : content_(std::make_unique<Content>()) {
  content_->graph.set_name(std::move(name));
  content_->prefix = std::move(prefix);
}
OnnxGraph::~OnnxGraph() = default;

void OnnxGraph::SetScope(std::string scope) { content_->scope = std::move(scope); }

std::string OnnxGraph::Add(OnnxNode node) { return AddSeveral(std::move(node), 1).front(); }

std::vector<std::string> OnnxGraph::AddSeveral(OnnxNode node, size_t outputs) {
  pb::NodeProto& added = *content_->graph.add_node();
  const std::string op(node.op);
  added.set_op_type(op);
  if (!node.domain.empty()) {
    added.set_domain(std::string(node.domain));
    content_->uses_ml = true;
  }
  for (std::string& input : node.inputs) added.add_input(std::move(input));
  std::vector<std::string> names;
  for (size_t i = 0; i < outputs; ++i) names.push_back(content_->Scoped(op));
  for (const std::string& name : names) added.add_output(name);
  added.set_name(names.front());
  for (OnnxAttribute& attribute : node.attributes) {
    pb::AttributeProto& to = *added.add_attribute();
    to.set_name(std::string(attribute.name));
    if (const auto* body = std::get_if<const OnnxGraph*>(&attribute.value)) {
      to.set_type(pb::AttributeProto::GRAPH);
      *to.mutable_g() = (*body)->content_->graph;
    } else {
      SetPlainAttribute(attribute, to);
    }
  }
  return names;
}

std::string OnnxGraph::Constant(std::span<const int64_t> values, std::vector<int64_t> shape) {
  return SetTensor(values, shape, OnnxType::kInt64, content_->NewConstant()).name();
}

std::string OnnxGraph::Constant(std::span<const float> values, std::vector<int64_t> shape) {
  return SetTensor(values, shape, OnnxType::kFloat, content_->NewConstant()).name();
}

std::string OnnxGraph::Constant(std::span<const double> values, std::vector<int64_t> shape) {
  return SetTensor(values, shape, OnnxType::kDouble, content_->NewConstant()).name();
}

std::string OnnxGraph::Integers(std::vector<int64_t> values) {
  return Constant(std::span<const int64_t>(values), {static_cast<int64_t>(values.size())});
}

std::string OnnxGraph::Scalar(float value) {
  return Constant(std::span<const float>(&value, 1), {});
}

void OnnxGraph::AddWeight(const std::string& name, std::span<const float> values,
                          const std::vector<int64_t>& shape) {
  content_->names.insert(name);
  pb::TensorProto& tensor = *content_->graph.add_initializer();
  tensor.set_name(name);
  SetTensor(values, shape, OnnxType::kFloat, tensor);
}

std::string OnnxGraph::Input(const std::string& name, OnnxType type,
                             const std::vector<int64_t>& shape) {
  const std::string unique = content_->Unique(content_->prefix + name);
  SetValueInfo(unique, type, shape, *content_->graph.add_input());
  return unique;
}

std::string OnnxGraph::Output(const std::string& name, const std::string& value, OnnxType type,
                              const std::vector<int64_t>& shape) {
  const std::string unique = content_->Unique(content_->prefix + name);
  pb::NodeProto& node = *content_->graph.add_node();
  node.set_op_type("Identity");
  node.set_name(unique);
  node.add_input(value);
  node.add_output(unique);
  SetValueInfo(unique, type, shape, *content_->graph.add_output());
  return unique;
}

Status OnnxGraph::Write(const std::map<std::string, std::string>& metadata, ByteSink sink) const {
  pb::ModelProto model;
  model.set_ir_version(kIrVersion);
  model.set_producer_name("paravane");
  pb::OperatorSetIdProto* opset = model.add_opset_import();
  opset->set_domain("");
  opset->set_version(kOnnxOpset);
  if (content_->uses_ml) {
    opset = model.add_opset_import();
    opset->set_domain("ai.onnx.ml");
    opset->set_version(kOnnxMlOpset);
  }
  for (const auto& [key, value] : metadata) {
    pb::StringStringEntryProto& entry = *model.add_metadata_props();
    entry.set_key(key);
    entry.set_value(value);
  }
  model.unsafe_arena_set_allocated_graph(&content_->graph);
  SinkStream stream(sink);
  bool written = false;
  const auto bytes = static_cast<int64_t>(model.ByteSizeLong());
  if (bytes <= kMaxBytes) {
    google::protobuf::io::CopyingOutputStreamAdaptor output(&stream, 1 << 20);
    written = model.SerializeToZeroCopyStream(&output) && output.Flush();
  }
  (void)model.unsafe_arena_release_graph();
  if (bytes > kMaxBytes) {
    return ResourceExhausted(
        {.message = absl::StrCat("the ONNX file would have ", bytes, " bytes, at most ", kMaxBytes,
                                 " are possible"),
         .remedy = "Export with --format safetensors"});
  }
  DL_RETURN_IF_ERROR(stream.status());
  if (!written) return Internal({.message = "cannot write the ONNX file"});
  return absl::OkStatus();
}

}  // namespace dl::inference
