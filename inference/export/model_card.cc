#include <algorithm>
#include <cstdint>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "base/checksum.h"
#include "base/printable.h"
#include "inference/export/license.h"
#include "inference/export/model_facts.h"
#include "nn/conf/layer_table.h"

namespace dl::inference {
namespace {

constexpr size_t kMaxRows = 100;

// Returns a text of the job, so that Markdown shows it as it is, also in a table.
std::string Escaped(std::string_view text) {
  constexpr std::string_view kSpecial = "\\`*_[]<>|~&$";
  std::string escaped;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      escaped += ' ';
      continue;
    }
    if (kSpecial.find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string Text(const Json& value) {
  return Escaped(value.is_string() ? value.get<std::string>() : JsonText(value));
}

std::string NameOfClass(const Json& name) {
  return name.is_string() ? Escaped(VisibleName(name.get<std::string>())) : Text(name);
}

// A table of Markdown with at most kMaxRows rows.
class Table {
 public:
  explicit Table(const std::vector<std::string>& titles) {
    AddLine(titles);
    AddLine(std::vector<std::string>(titles.size(), "---"));
  }
  // The cells are Markdown.
  void Add(const std::vector<std::string>& cells) {
    if (++rows_ <= kMaxRows) AddLine(cells);
  }
  std::string Take() && {
    if (rows_ > kMaxRows)
      absl::StrAppend(&text_, "\nThe table has the first ", kMaxRows, " of ", rows_, " rows.\n");
    return std::move(text_) + "\n";
  }

 private:
  void AddLine(const std::vector<std::string>& cells) {
    absl::StrAppend(&text_, "| ", absl::StrJoin(cells, " | "), " |\n");
  }

  std::string text_;
  size_t rows_ = 0;
};

// Returns the text as a block of code. Code that is indented has no end mark that it may contain.
std::string CodeBlock(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return absl::StrCat("    ", absl::StrReplaceAll(text, {{"\n", "\n    "}}), "\n\n");
}

// The comment at the end of a card.
constexpr char kSealBegin[] = "<!-- written by dl-submit export; SHA-256 of the text above: ";
std::string SealOf(const std::string& text) {
  return absl::StrCat(kSealBegin, Sha256Hex(text), " -->\n");
}

std::string Head(const ModelFacts& facts) {
  std::string text = absl::StrCat("---\n", LicenseYaml(facts.license));
  absl::StrAppend(&text, "tags:\n- paravane\n---\n\n# ", Escaped(facts.checkpoint.spec.name),
                  "\n\nThe weights of checkpoint ", Escaped(facts.checkpoint.name),
                  ", which Paravane trained by parameter averaging.\n\n");
  return text;
}

std::string Identity(const ModelFacts& facts, const TensorFile& file) {
  int64_t values = 0;
  for (const NamedTensor& tensor : file.tensors) values += std::ssize(tensor.values);
  Table table({"Property", "Value"});
  table.Add({"Checkpoint", Escaped(facts.checkpoint.name)});
  table.Add({"`state_sha256`", facts.checkpoint.state_sha256});
  table.Add({"License", facts.license.empty() ? "not stated" : Escaped(facts.license)});
  table.Add({"Tensors", absl::StrCat(file.tensors.size(), " with ", values, " values")});
  return std::move(table).Take();
}

std::string Figures(const Json& metrics) {
  const Json train = metrics.value("train", Json::object());
  const Json test = metrics.value("test", Json::object());
  std::set<std::string> names;
  for (const Json& figures : {train, test}) {
    for (const auto& [name, value] : figures.items()) names.insert(name);
  }
  if (names.empty()) return "## Figures\n\nNo figures of this checkpoint are recorded.\n\n";
  Table table({"Figure", "Training set", "Test set"});
  for (const std::string& name : names) {
    const auto cell = [&](const Json& figures) {
      return figures.contains(name) ? Text(figures.at(name)) : std::string();
    };
    table.Add({Escaped(name), cell(train), cell(test)});
  }
  return absl::StrCat("## Figures\n\n", std::move(table).Take(),
                      "Figures of the training set are means over the epoch, while the weights "
                      "changed.\n\n");
}

// The two numbers of a normalizer by their names, such as "mean" and "std".
std::vector<std::pair<std::string, Json>> NormalizerLists(const Json& normalizer) {
  std::vector<std::pair<std::string, Json>> lists;
  for (const char* name : {"mean", "std", "min", "max"}) {
    if (normalizer.contains(name)) lists.emplace_back(name, normalizer.at(name));
  }
  return lists;
}

std::string NormalizerText(const Json& normalizer, const Json& names) {
  const auto lists = NormalizerLists(normalizer);
  if (lists.empty()) return "The values of the inputs are not normalized.\n\n";
  const bool standardizes = lists.front().first == "mean";
  std::vector<std::string> titles = {"Feature"};
  for (const auto& [name, list] : lists) titles.push_back(name);
  Table table(titles);
  for (size_t i = 0; i < lists.front().second.size(); ++i) {
    std::vector<std::string> row = {i < names.size() ? Text(names[i]) : absl::StrCat(i)};
    for (const auto& [name, list] : lists) row.push_back(Text(list.at(i)));
    table.Add(row);
  }
  return absl::StrCat("Normalize each feature first: ",
                      standardizes ? "subtract `mean` and divide by `std`."
                                   : "subtract `min` and divide by `max` - `min`.",
                      " Features with a constant value are only shifted. Features with "
                      "`origins` in the metadata are shifted by these before that.\n\n",
                      std::move(table).Take());
}

std::string Inputs(const Json& manifest, const Json& schema) {
  std::string text = absl::StrCat(
      "## Inputs\n\nAn example has the shape ", Text(schema.value("feature_shape", Json::array())),
      ". The training set has ", manifest.value("examples", int64_t{0}), " examples.\n\n");
  if (const auto columns = schema.find("columns"); columns != schema.end()) {
    Table table({"Column", "Encoding", "Categories"});
    for (const Json& column : *columns) {
      const auto categories = column.find("categories");
      table.Add({Escaped(column.value("name", "")), Escaped(column.value("encoding", "number")),
                 categories == column.end() ? "" : absl::StrCat(categories->size())});
    }
    text += std::move(table).Take();
  }
  return text + NormalizerText(manifest.value("normalizer", Json::object()),
                               schema.value("feature_names", Json::array()));
}

std::string Outputs(const Json& manifest, const Json& schema) {
  const Json histogram = manifest.value("class_histogram", Json::array());
  const Json names = schema.value("class_names", Json::array());
  if (histogram.empty()) {
    return absl::StrCat("## Outputs\n\nThe model predicts ",
                        schema.value("label_kind", "none") == "target" ? "numbers" : "values",
                        ". Predictions with a `target_normalizer` in the metadata must be scaled "
                        "back.\n\n");
  }
  Table table({"Class", "Name", "Training examples"});
  for (size_t i = 0; i < histogram.size(); ++i) {
    table.Add({absl::StrCat(i), i < names.size() ? NameOfClass(names[i]) : std::string(),
               Text(histogram[i])});
  }
  return "## Outputs\n\nThe model predicts classes.\n\n" + std::move(table).Take();
}

std::string Training(const job::JobSpec& spec) {
  Table table({"Setting", "Value"});
  const Json training = job::ToJson(spec).value("training", Json::object());
  for (const auto& [name, value] : training.items()) {
    const bool is_set = !value.is_structured() && !value.is_null() && value != "";
    if (is_set) table.Add({absl::StrCat("`training.", name, "`"), Text(value)});
  }
  return absl::StrCat("## Training\n\n", std::move(table).Take(),
                      "The metadata have all settings as `spec`.\n\n");
}

}  // namespace

std::string ModelCard(const ModelFacts& facts, const TensorFile& file,
                      const std::string& file_name) {
  const Json schema = facts.training_set.value("schema", Json::object());
  std::string text = absl::StrCat(
      Head(facts), Identity(facts, file), Figures(facts.metrics),
      Inputs(facts.training_set, schema), Outputs(facts.training_set, schema), "## Model\n\n",
      CodeBlock(nn::Summary(facts.checkpoint.spec.model)), Training(facts.checkpoint.spec),
      "## Use\n\n",
      CodeBlock(
          absl::StrCat("from safetensors import safe_open\n", "with safe_open(",
                       JsonText(file_name), ", framework=\"numpy\") as file:\n",
                       "    tensors = {name: file.get_tensor(name) for name in file.keys()}\n",
                       "    metadata = file.metadata()")),
      "`metadata[\"model\"]` is the model as JSON. Convolutions have weights of the shape "
      "[filters, channels, height, width], dense layers of [units, inputs].\n\n");
  return text + SealOf(text);
}

bool IsUnchangedCard(const std::string& text) {
  const size_t seal = text.rfind(kSealBegin);
  return seal != std::string::npos && text.substr(seal) == SealOf(text.substr(0, seal));
}

}  // namespace dl::inference
