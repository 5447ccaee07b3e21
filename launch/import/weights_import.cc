#include "launch/import/weights_import.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/checksum.h"
#include "base/limits.h"
#include "base/suggest.h"
#include "launch/import/block_upload.h"
#include "launch/import/pytorch_recurrent.h"
#include "launch/import/safetensors_file.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/segments.h"

namespace dl::launch {
namespace {

// A tensor of the model whose values the file gives.
struct Taken {
  const Segment* segment = nullptr;
  TensorSource from;  // location of the values in the file
};

// A tensor of the model that the file does not give.
struct Lacking {
  std::string what;    // such as "the file has no tensor fc.weight"
  std::string sought;  // name that was not found, for suggesting a similar name; or ""
};

struct Names {
  std::string layer, tensor;  // "conv1" and "weight" for "conv1.weight"
};
Names SplitName(const std::string& name) {
  const size_t dot = name.rfind('.');
  return {name.substr(0, dot), name.substr(dot + 1)};
}

// Returns the names that a file may use for a tensor of a layer.
std::vector<std::string> CallsOf(const std::string& tensor) {
  std::vector<std::string> calls = {tensor};
  for (const auto& [mine, theirs] : {std::pair("gamma", "weight"),
                                     {"beta", "bias"},
                                     {"mean", "running_mean"},
                                     {"variance", "running_var"}}) {
    if (tensor == mine) calls.emplace_back(theirs);
  }
  return calls;
}

// Returns the right side of the entry "MINE=THEIRS" with that left side.
std::optional<std::string> NameFor(const job::SafetensorsWeights& source, const std::string& mine) {
  for (const std::string& name : source.names) {
    if (name.starts_with(mine + "=")) return name.substr(mine.size() + 1);
  }
  return std::nullopt;
}

std::vector<std::string> CandidatesFor(const job::SafetensorsWeights& source,
                                       const std::string& tensor) {
  if (auto named = NameFor(source, tensor)) return {*std::move(named)};
  const Names names = SplitName(tensor);
  const std::string layer = NameFor(source, names.layer).value_or(names.layer);
  std::vector<std::string> candidates;
  for (const std::string& call : CallsOf(names.tensor))
    candidates.push_back(absl::StrCat(layer, ".", call));
  return candidates;
}

// Finds the tensor in the form in which PyTorch's recurrent modules store it. Returns nullopt if
// the file lacks a part of it.
std::optional<Taken> FindRecurrent(const SafetensorsFile& file,
                                   const job::SafetensorsWeights& source,
                                   const nn::ModelConfig& model, const Segment& segment) {
  const Names names = SplitName(segment.name);
  const auto layer = std::ranges::find(model.layers, names.layer, &nn::LayerConfig::name);
  if (layer == model.layers.end()) return std::nullopt;
  auto from =
      PyTorchSource(*layer, names.tensor, NameFor(source, names.layer).value_or(names.layer));
  if (!from) return std::nullopt;
  const auto elements = [&](const std::string& name) {
    const auto found = file.tensors().find(name);
    return found == file.tensors().end() ? -1 : found->second.elements;
  };
  const bool is_whole = from->added_elements > 0;
  if (elements(from->name) != from->first + segment.size) return std::nullopt;
  if (is_whole && elements(from->added) < from->added_elements) return std::nullopt;
  if (segment.shape.size() > 1 && file.tensors().at(from->name).shape != segment.shape)
    return std::nullopt;
  return Taken{&segment, *std::move(from)};
}

std::string ShapeText(const std::vector<int64_t>& shape) {
  return absl::StrCat("[", absl::StrJoin(shape, ", "), "]");
}

// Returns the axes to exchange if the file stores the tensor as `name` (pytorch_transposed.h).
StatusOr<std::optional<ExchangedAxes>> ExchangedAxesOf(const SafetensorsFile& file,
                                                       const nn::ModelConfig& model,
                                                       const Segment& segment,
                                                       const std::string& name) {
  const Names names = SplitName(segment.name);
  const auto layer = std::ranges::find(model.layers, names.layer, &nn::LayerConfig::name);
  if (layer == model.layers.end()) return std::nullopt;
  return AxesToExchange(*layer, names.tensor, file, name);
}

// Finds the tensor in the file by its candidate names. If the file lacks it, or has it with another
// shape, returns nullopt and adds it to `lacking`. Returns the errors of AxesToExchange.
StatusOr<std::optional<Taken>> Find(const SafetensorsFile& file,
                                    const job::SafetensorsWeights& source,
                                    const nn::ModelConfig& model, const Segment& segment,
                                    std::vector<Lacking>& lacking) {
  const std::vector<std::string> candidates = CandidatesFor(source, segment.name);
  for (const std::string& name : candidates) {
    const auto found = file.tensors().find(name);
    if (found == file.tensors().end()) continue;
    DL_ASSIGN_OR_RETURN(const auto exchanged, ExchangedAxesOf(file, model, segment, name));
    if (exchanged) return Taken{&segment, {.name = name, .exchanged = exchanged}};
    if (found->second.shape == segment.shape) return Taken{&segment, {.name = name}};
    lacking.push_back(
        {absl::StrCat(segment.name, " has the shape ", ShapeText(segment.shape), ", but ", name,
                      " in the file has ", ShapeText(found->second.shape)),
         ""});
    return std::nullopt;
  }
  const std::string& sought = candidates.front();
  const std::string purpose = sought == segment.name ? "" : absl::StrCat(" for ", segment.name);
  lacking.push_back({absl::StrCat("the file has no tensor ", sought, purpose), sought});
  return std::nullopt;
}

std::string Listed(const std::vector<Lacking>& lacking, const SafetensorsFile& file) {
  std::vector<std::string> there;
  for (const auto& [name, tensor] : file.tensors()) there.push_back(name);
  std::string lines;
  for (const Lacking& tensor : lacking) {
    absl::StrAppend(&lines, lines.empty() ? "" : "\n", tensor.what,
                    tensor.sought.empty() ? "" : DidYouMean(tensor.sought, there));
  }
  return lines;
}

// Returns the prefix, such as "module.", with which all names of the file begin; "" if there is
// none. The name of a single layer does not count.
std::string CommonPrefix(const SafetensorsFile& file) {
  std::string prefix = file.tensors().empty() ? "" : file.tensors().begin()->first;
  for (const auto& [name, tensor] : file.tensors()) {
    while (!name.starts_with(prefix)) prefix.pop_back();
  }
  prefix.resize(prefix.rfind('.') == std::string::npos ? 0 : prefix.rfind('.') + 1);
  // The name of the only layer is not a prefix.
  const bool is_layer = std::all_of(
      file.tensors().begin(), file.tensors().end(),
      [&](const auto& entry) { return entry.first.find('.', prefix.size()) == std::string::npos; });
  return is_layer ? "" : prefix;
}

// Returns a text like "the file has 62 tensors: bn1.bias, bn1.weight, …; all of them begin with
// "module."".
std::string DescribeTensors(const SafetensorsFile& file) {
  constexpr size_t kShown = 12;
  std::vector<std::string> names;
  for (const auto& [name, tensor] : file.tensors()) {
    if (names.size() < kShown) names.push_back(name);
  }
  const size_t count = file.tensors().size();
  const std::string prefix = CommonPrefix(file);
  return absl::StrCat(
      "the file has ", count, count == 1 ? " tensor: " : " tensors: ", absl::StrJoin(names, ", "),
      count > kShown ? ", …" : "",
      prefix.empty() ? "" : absl::StrCat("; all of them begin with \"", prefix, "\""));
}

// Returns the value of initial_weights.names for --set, if only a prefix differs between the names
// of the file and the model. Returns "" otherwise.
std::string NamesWithPrefix(const SafetensorsFile& file, const std::vector<Lacking>& lacking) {
  const std::string prefix = CommonPrefix(file);
  std::vector<std::string> names;
  for (const Lacking& tensor : lacking) {
    const auto [layer, sought] = SplitName(tensor.sought);
    const std::vector<std::string> calls = CallsOf(sought);
    const bool is_there = std::any_of(
        calls.begin(), calls.end(), [&, inside = prefix + layer](const std::string& call) {
          return file.tensors().contains(absl::StrCat(inside, ".", call));
        });
    if (prefix.empty() || !is_there) continue;
    const std::string entry = absl::StrCat("\"", layer, "=", prefix, layer, "\"");
    if (std::find(names.begin(), names.end(), entry) == names.end()) names.push_back(entry);
  }
  return names.empty() ? "" : absl::StrCat("[", absl::StrJoin(names, ", "), "]");
}

// Checks that each name which the user gives for a tensor or layer of the file exists in the file.
Status CheckNames(const SafetensorsFile& file, const job::SafetensorsWeights& source) {
  for (const std::string& name : source.names) {
    const std::string theirs = name.substr(name.find('=') + 1);
    const auto found = file.tensors().lower_bound(theirs);
    const auto inside = file.tensors().lower_bound(theirs + ".");
    const bool is_tensor = found != file.tensors().end() && found->first == theirs;
    const std::optional<std::string> module = ModuleOfLayer(theirs);
    const std::string recurrent =
        module ? absl::StrCat(*module, ".weight_ih", theirs.substr(module->size())) : "";
    if (is_tensor || file.tensors().contains(recurrent) ||
        (inside != file.tensors().end() && inside->first.starts_with(theirs + ".")))
      continue;
    std::vector<std::string> there;
    for (const auto& [tensor, unused] : file.tensors()) {
      there.push_back(tensor);
      there.push_back(SplitName(tensor).layer);
    }
    return InvalidArgument(
        {.message = absl::StrCat("has neither a tensor ", theirs,
                                 " nor tensors of a layer of that name", DidYouMean(theirs, there)),
         .where = file.path(),
         .remedy = "Correct initial_weights.names"});
  }
  return absl::OkStatus();
}

// Concatenates the values of the tensors, and uploads them in blocks.
class WeightBlocks {
 public:
  WeightBlocks(const SafetensorsFile& file, BlockUpload& upload) : file_(file), upload_(upload) {}

  Status Add(const Taken& taken) {
    for (int64_t done = 0; done < taken.segment->size;) {
      const int64_t some = std::min(kFloats - held_, taken.segment->size - done);
      block_.resize(static_cast<size_t>(held_ + some));
      DL_RETURN_IF_ERROR(
          Read(taken.from, done, std::span(block_).subspan(static_cast<size_t>(held_))));
      held_ += some;
      done += some;
      if (held_ == kFloats) DL_RETURN_IF_ERROR(Put());
    }
    return absl::OkStatus();
  }
  StatusOr<std::vector<std::string>> Finish() {
    if (held_ > 0) DL_RETURN_IF_ERROR(Put());
    DL_RETURN_IF_ERROR(upload_.Flush());
    return std::move(names_);
  }

 private:
  static constexpr int64_t kFloats =
      limits::kWeightsBlockBytes / static_cast<int64_t>(sizeof(float));

  // Reads elements of a tensor with exchanged axes, from our element `done`.
  Status ReadExchanged(const TensorSource& from, int64_t done, std::span<float> out) const {
    const int64_t kernel = from.exchanged->kernel;
    while (!out.empty()) {
      const int64_t skipped = done % kernel;
      const int64_t some = std::min(kernel - skipped, static_cast<int64_t>(out.size()));
      const int64_t first = from.exchanged->TheirsOf(done - skipped) + skipped;
      DL_RETURN_IF_ERROR(file_.Read(from.name, first, out.first(static_cast<size_t>(some))));
      out = out.subspan(static_cast<size_t>(some));
      done += some;
    }
    return absl::OkStatus();
  }

  // Reads elements of a tensor of the model, from element `done`.
  Status Read(const TensorSource& from, int64_t done, std::span<float> out) const {
    if (from.exchanged) return ReadExchanged(from, done, out);
    DL_RETURN_IF_ERROR(file_.Read(from.name, from.first + done, out));
    const auto count = static_cast<int64_t>(out.size());
    if (const int64_t added = std::min(count, from.added_elements - done); added > 0) {
      std::vector<float> more(static_cast<size_t>(added));
      DL_RETURN_IF_ERROR(file_.Read(from.added, done, more));
      for (int64_t i = 0; i < added; ++i) out[i] += more[i];
    }
    for (int64_t i = std::max<int64_t>(0, from.shifted_first - done);
         i < std::min(count, from.shifted_first + from.shifted_elements - done); ++i)
      out[i] += static_cast<float>(from.shift);
    return absl::OkStatus();
  }

  Status Put() {
    const auto bytes = std::as_bytes(std::span(block_));
    names_.push_back(Sha256Hex(bytes));
    DL_RETURN_IF_ERROR(upload_.Put(names_.back(), bytes));
    block_.clear();
    held_ = 0;
    return absl::OkStatus();
  }

  const SafetensorsFile& file_;
  BlockUpload& upload_;
  std::vector<float> block_;
  int64_t held_ = 0;
  std::vector<std::string> names_;
};

}  // namespace

StatusOr<job::ImportedWeights> ImportWeights(const job::SafetensorsWeights& source,
                                             const nn::ModelConfig& model,
                                             const ImportOptions& options,
                                             rpc::ClientService& client) {
  DL_ASSIGN_OR_RETURN(const SafetensorsFile file, SafetensorsFile::Open(source.path));
  DL_RETURN_IF_ERROR(CheckNames(file, source));
  const SegmentTable table = nn::FullTable(model);
  std::vector<Taken> taken;
  std::vector<Lacking> lacking;
  for (const Segment& segment : table.segments()) {
    if (!job::HoldsWeights(segment)) continue;
    if (auto found = FindRecurrent(file, source, model, segment)) {
      taken.push_back(*std::move(found));
      continue;
    }
    DL_ASSIGN_OR_RETURN(std::optional<Taken> own, Find(file, source, model, segment, lacking));
    if (own) taken.push_back(*std::move(own));
  }
  const bool by_seed = source.missing == job::MissingTensors::kSeed;
  if (taken.empty() || (!lacking.empty() && !by_seed)) {
    const std::string with_prefix = NamesWithPrefix(file, lacking);
    return InvalidArgument(
        {.message = absl::StrCat(taken.empty() ? "it has none of the model's tensors:\n"
                                               : "it lacks tensors of the model:\n",
                                 Listed(lacking, file), "\n", DescribeTensors(file)),
         .where = source.path,
         .remedy = "Map the names in initial_weights.names" +
                   (with_prefix.empty()
                        ? std::string()
                        : absl::StrCat(": --set 'initial_weights.names=", with_prefix, "'")) +
                   std::string(taken.empty() ? ""
                                             : "; with initial_weights.missing = \"seed\" they are "
                                               "initialized by the seed")});
  }
  if (options.progress) options.progress(absl::StrCat("importing ", source.path));
  BlockUpload upload(client, [&] { return CheckStop(options); });
  WeightBlocks blocks(file, upload);
  job::ImportedWeights imported;
  for (const Taken& one : taken) {
    DL_RETURN_IF_ERROR(blocks.Add(one));
    imported.tensors.push_back(one.segment->name);
  }
  DL_ASSIGN_OR_RETURN(imported.blocks, blocks.Finish());
  if (options.progress) {
    options.progress(absl::StrCat("took ", taken.size(), " of the model's ",
                                  taken.size() + lacking.size(), " tensors from ", source.path));
    for (const Lacking& tensor : lacking)
      options.progress(absl::StrCat("by the seed: ", tensor.what));
  }
  return imported;
}

}  // namespace dl::launch
