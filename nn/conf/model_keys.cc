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
                 .meaning = "Taken as the job's seed when `seed` is not stated; never written into "
                            "a job"},
                int64_t{0}, rows);
  const size_t one = rows.size();
  DescribeValue({.key = "input",
                 .meaning = "What one example looks like; required where `inputs` is not there"},
                InputType(), rows);
  rows[one].standard = "-";
  const size_t list = rows.size();
  DescribeValue({.key = "inputs[]"}, InputType(), rows);
  rows[list] = RowOf({.key = "inputs",
                      .meaning = "Of a model of several inputs, in the place of `input`: each cuts "
                                 "the next values off the example's"},
                     KeyType::kObjectList, Json());
  rows[list].standard = "-";
  rows.insert(rows.begin() + list + 1,
              {.path = "inputs[].name",
               .type = KeyType::kString,
               .standard = "",
               .meaning = "What layers call it; up to 63 letters, digits, `_`, `-`, beginning with "
                          "a letter"});
  return rows;
}

void AppendLayers(std::vector<KeyRow>& rows) {
  std::vector<TypeRows> types;
  for (const LayerType& type : LayerTypes()) {
    types.push_back({type.tag, RowsOf(MembersOf(type.make_default()))});
  }
  std::vector<KeyRow> entry;
  AppendObject(RowOf({.key = "layers[]"}, KeyType::kObject, Json()), "Kind of the layer", types,
               entry);
  entry[0] = RowOf({.key = "layers",
                    .presence = kRequired,
                    .meaning = "The layers in order; the last one has a loss"},
                   KeyType::kObjectList, Json());
  entry.insert(entry.begin() + 2,
               Text("layers[].name", "-",
                    "Up to 63 letters, digits, `_`, `-`, beginning with a letter; default: kind "
                    "and number, as `conv1`"));
  entry.insert(entry.begin() + 3,
               {.path = "layers[].inputs",
                .type = KeyType::kStringList,
                .standard = "[]",
                .meaning = "Names of the layers that it reads, which stand before it, or of "
                           "inputs, `input` where there is one alone; empty: the one before it"});
  entry.insert(entry.begin() + 4,
               Text("layers[].weights_of", "-",
                    "Name of a layer before it whose weights are its own too, as far as names and "
                    "shapes agree; how they start and change is said there"));
  rows.insert(rows.end(), entry.begin(), entry.end());
}

}  // namespace

std::vector<KeyRow> ModelKeys() {
  std::vector<KeyRow> rows = {RowOf(
      {.key = "model", .presence = kRequired, .meaning = "The network and how a step updates it"},
      KeyType::kObject, Json())};
  std::vector<KeyRow> inside = Head();
  for (KeyRow& row : RowsOf(MembersOf(ModelConfig()))) inside.push_back(std::move(row));
  inside.push_back(Text("freeze_up_to", Json("").dump(),
                        "Name of a layer: it and all layers before it, in the order of `layers`, "
                        "are frozen; empty = none. A job has their `frozen` in its place"));
  AppendLayers(inside);
  for (KeyRow& row : inside) {
    row.path = absl::StrCat("model.", row.path);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace dl::nn
