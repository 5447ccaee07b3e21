#include "tests/sim/liar.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "rpc/convert.h"
#include "rpc/executor_fields.h"
#include "rpc/user_fields.h"
#include "tests/unit/rpc/sample_messages.h"

namespace dl::sim {
namespace {

// clang-format off
#define DL_SIM_REQUESTS(X) \
  X(RegisterRequest) X(HeartbeatRequest) X(GoodbyeRequest) X(LeaseRequest) X(AnnounceRequest) \
  X(FailureReport) X(FetchRequest) X(ContributionChunk) X(OfferChunk)
// clang-format on

#define DL_SIM_USER_REQUESTS(X) \
  X(SubmitRequest) X(JobActionRequest) X(MissingBlocksRequest) X(PutBlocksRequest)

template <typename Message>
constexpr std::string_view kNameOf = "";
#define DL_SIM_NAME(name) \
  template <>             \
  constexpr std::string_view kNameOf<rpc::name> = #name;
DL_SIM_REQUESTS(DL_SIM_NAME)
DL_SIM_USER_REQUESTS(DL_SIM_NAME)
#undef DL_SIM_NAME

// Calls `on_field(name, value)` for each field that is a number, a text or a list. Lists come
// before their entries.
template <typename OnField>
class Walk {
 public:
  Walk(std::string name, OnField& on_field) : name_(std::move(name)), on_field_(on_field) {}

  template <typename A, typename B>
  void operator()(std::string_view field, A& message, B& wire) {
    const std::string name = absl::StrCat(name_, ".", std::string(field));
    if constexpr (std::is_same_v<B, std::string> || std::is_arithmetic_v<B>) {
      on_field_(name, wire);
    } else {
      Walk inner(name, on_field_);
      rpc::Fields(inner, message, wire);
    }
  }
  template <typename A, typename B>
  void operator()(std::string_view field, std::vector<A>&, std::vector<B>& wire) {
    on_field_(absl::StrCat(name_, ".", std::string(field), "[]"), wire);
    for (B& entry : wire) {
      A message{};
      (*this)(field, message, entry);
    }
  }

 private:
  const std::string name_;
  OnField& on_field_;
};

template <typename Message, typename Wire, typename OnField>
void ForEachField(std::string_view name, Message message, Wire& wire, OnField on_field) {
  Walk walk(std::string(name), on_field);
  rpc::Fields(walk, message, wire);
}

std::string LastWord(const std::string& name) { return name.substr(name.rfind('.') + 1); }

template <typename T>
void Keep(std::vector<T>& values, const T& value) {
  constexpr size_t kMost = 16;
  if (values.size() == kMost) values.erase(values.begin());
  values.push_back(value);
}

}  // namespace

class Liar::Past {
 public:
  explicit Past(Liar& liar) : liar_(liar) {}
  template <typename T>
  void operator()(const std::string& name, const T& value) {
    if (!liar_.options_.spared.contains(name)) names.push_back(name);
    if constexpr (std::is_integral_v<T>)
      Keep(liar_.numbers_[LastWord(name)], static_cast<int64_t>(value));
    if constexpr (std::is_same_v<T, std::string>) Keep(liar_.texts_[LastWord(name)], value);
  }
  std::vector<std::string> names;

 private:
  Liar& liar_;
};

// Alters the field with index `left` among those with the name.
class Liar::Alteration {
 public:
  Alteration(Liar& liar, std::string name, size_t left)
      : liar_(liar), random_(liar.options_.random), name_(std::move(name)), left_(left) {}

  template <typename T>
  void operator()(const std::string& name, T& value) {
    if (name == name_ && left_-- == 0) To(value);
  }

 private:
  template <typename T>
  T OneOf(const std::vector<T>& values) {
    return values[random_.Bounded(values.size())];
  }
  void To(bool& value) { value = !value; }
  void To(double& value) {
    value = OneOf<double>({0, -value, value * (1 + 0x1p-40), value * 2, 1e300, 1e-300,
                           std::numeric_limits<double>::infinity(), std::nan("")});
  }
  template <typename T>
  requires std::is_integral_v<T>
  void To(T& value) {
    using U = std::make_unsigned_t<T>;
    const auto beside = [&](U by) { return static_cast<T>(static_cast<U>(value) + by); };
    const auto seen = static_cast<T>(OneOf(liar_.numbers_.at(LastWord(name_))));
    value = OneOf<T>({0, beside(1), beside(static_cast<U>(-1)), seen, seen,
                      std::numeric_limits<T>::max(), std::numeric_limits<T>::min(),
                      static_cast<T>(random_.NextU64())});
  }
  void To(std::string& value) {
    switch (random_.Bounded(6)) {
      case 0:
        return value.clear();
      case 1:
        return value.resize(value.size() / 2);
      case 2:
        value += '\xff';  // invalid UTF-8
        return;
      case 3:
        value.append(limits::kMaxShortText, 'x');
        return;
      case 4:
        value = OneOf(liar_.texts_.at(LastWord(name_)));
        return;
      default:
        if (value.empty()) value = "0";
        // A digit remains a digit, so that a number in a document gets another value.
        char& c = value[random_.Bounded(value.size())];
        c = static_cast<char>((c >= '0' && c <= '9' ? '0' : 'a') + random_.Bounded(10));
    }
  }
  template <typename T>
  void To(std::vector<T>& list) {
    if (list.empty()) return list.resize(1 + random_.Bounded(3));
    const T entry = list[random_.Bounded(list.size())];
    switch (random_.Bounded(4)) {
      case 0:
        return list.clear();
      case 1:
        return list.pop_back();
      case 2:
        return list.push_back(entry);
      default:
        list.resize(list.size() + 200, entry);
    }
  }

  Liar& liar_;
  RandomStream& random_;
  const std::string name_;
  size_t left_;
};

template <typename Wire, typename Message>
void Liar::Alter(std::string_view name, Message message, Wire& wire) {
  Past past(*this);
  ForEachField(name, message, wire, [&](const auto& field, auto& value) { past(field, value); });
  if (past.names.empty()) return;
  std::string chosen = options_.field;
  if (chosen.empty()) {
    std::vector<std::string> distinct = past.names;
    std::ranges::sort(distinct);
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    chosen = distinct[options_.random.Bounded(distinct.size())];
  }
  const auto times = static_cast<uint64_t>(std::ranges::count(past.names, chosen));
  if (times == 0) return;
  Alteration alter(*this, chosen, options_.random.Bounded(times));
  ForEachField(name, message, wire, [&](const auto& field, auto& value) { alter(field, value); });
  options_.altered(chosen);
}

template <typename Message>
StatusOr<Message> Received(const Message& sent, Liar* liar) {
  DL_ASSIGN_OR_RETURN(auto wire, rpc::ToWire(sent));
  if (liar != nullptr) liar->Alter(kNameOf<Message>, Message{}, wire);
  DL_ASSIGN_OR_RETURN(Message received, rpc::FromWire<Message>(std::move(wire)));
  return received;
}

#define DL_SIM_RECEIVE(name) \
  template StatusOr<rpc::name> Received<rpc::name>(const rpc::name&, Liar*);
DL_SIM_REQUESTS(DL_SIM_RECEIVE)
DL_SIM_USER_REQUESTS(DL_SIM_RECEIVE)
#undef DL_SIM_RECEIVE

std::set<std::string> FieldsOfExecutors() {
  std::set<std::string> names;
#define DL_SIM_ADD(name)                                                               \
  {                                                                                    \
    auto wire = rpc::ToWire(rpc::Sample<rpc::name>());                                 \
    DL_CHECK(wire.ok());                                                               \
    ForEachField(#name, rpc::name{}, *wire,                                            \
                 [&](const std::string& field, const auto&) { names.insert(field); }); \
  }
  DL_SIM_REQUESTS(DL_SIM_ADD)
#undef DL_SIM_ADD
  return names;
}

}  // namespace dl::sim
