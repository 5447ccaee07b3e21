// All updaters: the variant UpdaterConf, and the table in which JSON readers and tests find them.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/one_of.h"
#include "nn/conf/updaters/adadelta.h"
#include "nn/conf/updaters/adagrad.h"
#include "nn/conf/updaters/adam.h"
#include "nn/conf/updaters/adamax.h"
#include "nn/conf/updaters/adamw.h"
#include "nn/conf/updaters/amsgrad.h"
#include "nn/conf/updaters/lamb.h"
#include "nn/conf/updaters/lars.h"
#include "nn/conf/updaters/momentum.h"
#include "nn/conf/updaters/nadam.h"
#include "nn/conf/updaters/nesterov.h"
#include "nn/conf/updaters/rmsprop.h"
#include "nn/conf/updaters/sgd.h"

namespace dl::nn {

struct AllUpdaters {
  using Variant = std::variant<Sgd, HeavyBall, Nesterov, Adam, AdaGrad, RmsProp, AdaDelta, AmsGrad,
                               Nadam, AdaMax, AdamW, Lars, Lamb>;
};
using UpdaterConf = OneOf<AllUpdaters>;

struct UpdaterType {
  std::string_view tag;
  UpdaterConf (*make_default)();
  std::vector<UpdaterConf> (*samples)();
};

// Returns one row for each of AllUpdaters, in its order. A type without a tag, state names, keys or
// samples is a compile error.
std::span<const UpdaterType> UpdaterTypes();

std::string_view TagOf(const UpdaterConf& updater);
const Schedule& LearningRateOf(const UpdaterConf& updater);
void SetLearningRate(UpdaterConf& updater, const Schedule& rate);
// Returns the weight decay of layers that state none, in a model whose weight_decay is 0: adamw's,
// otherwise 0.
double WeightDecayOf(const UpdaterConf& updater);
// Returns the names of the state tensors of each parameter, in order: {} for sgd, {"m", "v"} for
// Adam.
std::span<const std::string_view> StateNamesOf(const UpdaterConf& updater);

// Returns the largest number of state tensors of any updater.
template <typename... Updater>
constexpr size_t MostStates(const std::variant<Updater...>*) {
  return std::max({Updater::kStateNames.size()...});
}
inline constexpr size_t kMaxUpdaterStates = MostStates(static_cast<const UpdaterConf*>(nullptr));

std::vector<UpdaterConf> DefaultsOf(const UpdaterConf*);
Json ToJson(const UpdaterConf& updater);  // "type" and the updater's keys
void ReadValue(JsonObjectReader& reader, std::string_view key, UpdaterConf& out);
void CheckValue(const Field& field, const UpdaterConf& updater, Mistakes& mistakes);
void DescribeValue(const Field& field, const UpdaterConf& updater, std::vector<KeyRow>& rows);

}  // namespace dl::nn
