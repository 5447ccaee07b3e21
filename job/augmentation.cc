#include "job/augmentation.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/one_of_members.h"
#include "nn/conf/typed_object.h"

namespace dl {

template class OneOf<job::AllAugmentations>;

namespace job {
namespace {

template <typename... Augmentation>
std::vector<AugmentationConf> DefaultAugmentations(const std::variant<Augmentation...>*) {
  return {AugmentationConf(Augmentation())...};
}

std::string PlaceOf(size_t index) { return absl::StrCat("data.augmentation[", index, "]"); }

// Padding or side length of a change, which may not be larger than the smaller side of an image.
struct Reach {
  const char* what;
  int64_t pixels;
};
Reach ReachOf(const AugmentationConf& conf) {
  if (const auto* crop = std::get_if<RandomCrop>(&conf)) return {"a padding", crop->padding};
  if (const auto* cutout = std::get_if<Cutout>(&conf)) return {"a square", cutout->size};
  return {"", 0};
}

}  // namespace

std::string_view TagOf(const AugmentationConf& conf) {
  return std::visit([](const auto& x) { return x.kTag; }, conf);
}

std::vector<AugmentationConf> DefaultsOf(const AugmentationConf* of) {
  return DefaultAugmentations(of);
}

Json ToJson(const std::vector<AugmentationConf>& list) {
  Json json = Json::array();
  for (const AugmentationConf& conf : list) json.push_back(nn::TypedToJson(conf));
  return json;
}

void ReadValue(JsonObjectReader& data, std::string_view key, std::vector<AugmentationConf>& out) {
  const Json* json = data.Child(key);
  if (json == nullptr) return;
  if (!json->is_array()) {
    data.AddError(key, "must be a list, for example [\"horizontal_flip\"]");
    return;
  }
  for (size_t i = 0; i < json->size(); ++i) {
    const Json whole = nn::TypeInFull((*json)[i]);
    JsonObjectReader reader(whole, absl::StrCat(data.PathOf(key), "[", i, "]"));
    AugmentationConf& conf = out.emplace_back();
    nn::ReadType(reader, conf);
    nn::ReadFields(reader, nn::MembersOf(conf));
    data.AddErrors(reader.Finish());
  }
}

void CheckAugmentation(const std::vector<AugmentationConf>& list, nn::Mistakes& mistakes) {
  mistakes.SetWhere("data.augmentation");
  if (list.size() > kMaxAugmentations) {
    mistakes.Add(absl::StrCat("has ", list.size(), " entries"),
                 absl::StrCat("Use at most ", kMaxAugmentations));
  }
  for (size_t i = 0; i < list.size(); ++i) {
    mistakes.SetWhere(PlaceOf(i));
    nn::CheckFields(nn::MembersOf(list[i]), mistakes);
  }
}

void CheckAugmentationAgainstData(const std::vector<AugmentationConf>& list,
                                  const std::vector<int64_t>& feature_shape,
                                  nn::Mistakes& mistakes) {
  if (list.empty()) return;
  if (feature_shape.size() != 3) {
    mistakes.SetWhere("data.augmentation");
    mistakes.Add("applies to images, but the examples are not images", "Leave it out");
    return;
  }
  const int64_t side = std::min(feature_shape[1], feature_shape[2]);
  for (size_t i = 0; i < list.size(); ++i) {
    const auto [what, pixels] = ReachOf(list[i]);
    if (pixels <= side) continue;
    mistakes.SetWhere(PlaceOf(i));
    mistakes.Add(absl::StrCat(what, " of ", pixels, " pixels is larger than the images, which are ",
                              feature_shape[1], " x ", feature_shape[2]),
                 absl::StrCat("Use at most ", side));
  }
}

void DescribeValue(const nn::Field& field, const std::vector<AugmentationConf>&,
                   std::vector<nn::KeyRow>& rows) {
  std::vector<nn::TypeRows> types;
  for (const AugmentationConf& type : DefaultsOf(static_cast<const AugmentationConf*>(nullptr)))
    types.push_back({TagOf(type), nn::RowsOf(nn::MembersOf(type))});
  rows.push_back(nn::RowOf(field, nn::KeyType::kObjectList, Json::array()));
  std::vector<nn::KeyRow> entry;
  nn::AppendObject({.path = std::string(field.key) + "[]"}, "Kind of the change", types, entry);
  rows.insert(rows.end(), entry.begin() + 1, entry.end());
}

}  // namespace job
}  // namespace dl
