#include "nn/conf/model_keys.h"

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "nn/conf/layers/layer_registry.h"
#include "nn/conf/members.h"
#include "nn/conf/model_config.h"
#include "nn/conf/model_json.h"

namespace dl::nn {
namespace {

constexpr auto kRequired = Field::Presence::kRequired;

KeyRow Text(std::string path, std::string standard, std::string_view meaning) {
  return {.path = std::move(path),
          .type = KeyType::kString,
          .standard = std::move(standard),
          .meaning = meaning};
}

// Returns the keys of the document that are not fields of ModelConfig.
std::vector<KeyRow> Head() {
  std::vector<KeyRow> rows;
  DescribeValue({.key = "format",
                 .min = 1,
                 .max = kModelDocument.version(),
                 .meaning = "Version of the model document"},
                int64_t{1}, rows);
  rows.push_back(Text("name", Json(kDefaultModelName).dump(),
                      "Name of the model, up to 63 letters, digits, `_`, `-`, `.`"));
  DescribeValue({.key = "seed",
                 .max = 18446744073709551615.0,
                 .meaning = "The job's seed if `seed` is absent, otherwise the same number. Never "
                            "written into a job"},
                int64_t{0}, rows);
  const size_t one = rows.size();
  DescribeValue({.key = "input", .meaning = "Shape of an example. Required if `inputs` is absent"},
                InputType(), rows);
  rows[one].standard = "-";
  const size_t list = rows.size();
  DescribeValue({.key = "inputs[]"}, InputType(), rows);
  rows[list] = RowOf(
      {.key = "inputs",
       .meaning =
           "Several inputs instead of `input`. Each input takes the next values of an example"},
      KeyType::kObjectList, Json());
  rows[list].standard = "-";
  rows.insert(
      rows.begin() + list + 1,
      {.path = "inputs[].name",
       .type = KeyType::kString,
       .standard = "",
       .meaning = "Name of the input: up to 63 letters, digits, `_`, `-`, starting with a letter"});
  return rows;
}

void AppendLayers(std::vector<KeyRow>& rows) {
  std::vector<TypeRows> types;
  for (const LayerType& type : LayerTypes()) {
    types.push_back({type.tag, RowsOf(MembersOf(type.make_default()))});
  }
  std::vector<KeyRow> entry;
  AppendObject(RowOf({.key = "layers[]"}, KeyType::kObject, Json()), "Type of the layer", types,
               entry);
  entry[0] = RowOf({.key = "layers",
                    .presence = kRequired,
                    .meaning = "Layers in order. The last layer has a loss"},
                   KeyType::kObjectList, Json());
  entry.insert(
      entry.begin() + 2,
      Text("layers[].name", "-",
           "Name of the layer: up to 63 letters, digits, `_`, `-`, starting with a letter. "
           "Default: a short form of the type and a number, such as `conv1` or `pool2`"));
  entry.insert(entry.begin() + 3,
               {.path = "layers[].inputs",
                .type = KeyType::kStringList,
                .standard = "[]",
                .meaning = "Names of earlier layers or of inputs that the layer reads. A single "
                           "input is named `input`. Empty = the previous layer"});
  entry.insert(entry.begin() + 4,
               Text("layers[].weights_of", "-",
                    "Name of an earlier layer whose weights this layer shares if names and shapes "
                    "agree. The earlier layer defines their initialization and updates"));
  rows.insert(rows.end(), entry.begin(), entry.end());
}

}  // namespace

std::vector<KeyRow> ModelKeys() {
  std::vector<KeyRow> rows = {
      RowOf({.key = "model", .presence = kRequired, .meaning = "Network and rule of its updates"},
            KeyType::kObject, Json())};
  std::vector<KeyRow> inside = Head();
  for (KeyRow& row : RowsOf(MembersOf(ModelConfig()))) inside.push_back(std::move(row));
  inside.push_back(Text("freeze_up_to", Json("").dump(),
                        "Name of a layer. The layer and all layers before it are frozen; empty = "
                        "none. In a job, each of these layers has `frozen` instead"));
  AppendLayers(inside);
  AppendBelow("model.", std::move(inside), rows);
  return rows;
}

}  // namespace dl::nn
