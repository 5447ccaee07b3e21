#include "dataset/readers/text/text_reader.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/limits.h"
#include "dataset/readers/class_labels.h"
#include "dataset/readers/file_error.h"
#include "dataset/readers/source_paths.h"
#include "dataset/readers/text/text_tokens.h"
#include "dataset/readers/text/text_vocabulary.h"

namespace dl::dataset {
namespace {

// Returns the vocabulary of a training split. The byte order of UTF-8 equals the order of code
// points.
std::vector<std::string> CharactersOf(const job::TextSource& source, const TextTokens& read) {
  std::vector<std::string> characters = read.texts();
  std::sort(characters.begin(), characters.end());
  if (source.unknown_character == job::UnknownCharacter::kToken) characters.emplace_back(kUnknown);
  return characters;
}

std::vector<std::string> WordsOf(const TextTokens& read, int64_t most) {
  const std::vector<std::string>& texts = read.texts();
  std::vector<int64_t> counts(texts.size(), 0);
  for (const int32_t token : read.tokens()) ++counts[token];
  std::vector<size_t> order(texts.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return counts[a] != counts[b] ? counts[a] > counts[b] : texts[a] < texts[b];
  });
  std::vector<std::string> words{std::string(kUnknown)};
  for (const size_t word : order) {
    if (most > 0 && static_cast<int64_t>(words.size()) == most) break;
    if (texts[word] != kUnknown) words.push_back(texts[word]);
  }
  return words;
}

std::vector<std::string> TokensOf(const job::TextSource& source, const TextTokens& read) {
  const bool masks = source.mask_probability > 0 && source.vocabulary_size > 0;
  switch (source.unit) {
    case job::TextUnit::kCharacter:
      return CharactersOf(source, read);
    case job::TextUnit::kWord:
      return WordsOf(read, source.vocabulary_size - (masks ? 1 : 0));
    case job::TextUnit::kByte:
      return read.texts();
  }
  return {};
}

std::vector<std::string> VocabularyOf(const job::TextSource& source, const TextTokens& read) {
  std::vector<std::string> vocabulary = TokensOf(source, read);
  if (source.mask_probability == 0) return vocabulary;
  std::erase(vocabulary, kMaskToken);
  vocabulary.emplace_back(kMaskToken);
  return vocabulary;
}

Status CutWindows(const job::TextSource& source, std::span<const int32_t> tokens,
                  const RowMemory& memory, ExampleTable& table) {
  const bool small = table.schema.feature_type() == FeatureType::kU8;
  const auto stride = static_cast<size_t>(source.stride > 0 ? source.stride : source.steps);
  const auto steps = static_cast<size_t>(source.steps);
  // The label of a token is the token itself, or the next one.
  const size_t ahead = source.mask_probability > 0 ? 0 : 1;
  for (size_t begin = 0; begin + steps + ahead <= tokens.size(); begin += stride) {
    DL_RETURN_IF_ERROR(SpillFeatures(memory, table));
    const auto window = tokens.subspan(begin, steps);
    if (small) table.u8.insert(table.u8.end(), window.begin(), window.end());
    if (!small) table.f32.insert(table.f32.end(), window.begin(), window.end());
    const auto labels = tokens.subspan(begin + ahead, steps);
    table.classes.insert(table.classes.end(), labels.begin(), labels.end());
    ++table.examples;
  }
  return absl::OkStatus();
}

// Warns if more than one token in a hundred is unknown, because the text then differs from the
// training split.
void WarnOfUnknown(std::span<const int32_t> tokens, const std::vector<std::string>& vocabulary,
                   ExampleTable& table) {
  constexpr int64_t kOneIn = 100;
  const auto unknown = std::ranges::find(vocabulary, kUnknown);
  if (unknown == vocabulary.end()) return;
  const auto count = std::ranges::count(tokens, static_cast<int32_t>(unknown - vocabulary.begin()));
  if (count * kOneIn <= std::ssize(tokens)) return;
  table.warnings.push_back(absl::StrCat(count, " of ", tokens.size(),
                                        " tokens are not in the vocabulary of the training split, "
                                        "and are read as ",
                                        std::string(kUnknown)));
}

// Warns of bytes 0, which no text has, except in texts that are read as bytes.
void WarnOfZeros(const job::TextSource& source, const TextTokens& read, ExampleTable& table) {
  if (source.unit == job::TextUnit::kByte) return;
  const std::vector<std::string>& texts = read.texts();
  const auto count = std::ranges::count_if(
      read.tokens(), [&](int32_t token) { return texts[token].find('\0') != std::string::npos; });
  if (count == 0) return;
  table.warnings.push_back(absl::StrCat(count, " of ", read.tokens().size(),
                                        " tokens hold a byte 0, which no text has: the file may be "
                                        "damaged, or no text"));
}

bool HasByteTokens(int64_t classes) {
  constexpr int64_t kBytes = 256;
  return classes <= kBytes;
}

// Returns an error if the text is cut into other units than that of the training split. Almost
// every token would then be unknown.
Status CheckUnit(const job::TextSource& source, const Schema& training, const std::string& path) {
  const std::optional<job::TextUnit> unit = UnitOfText(training);
  if (!unit || *unit == source.unit) return absl::OkStatus();
  const auto name = [](job::TextUnit of) { return job::ToJson(of).get<std::string>(); };
  return InvalidArgument(
      {.message = absl::StrCat("it has the unit \"", name(source.unit),
                               "\", but the text of the training split has \"", name(*unit), "\""),
       .where = path,
       .remedy = absl::StrCat("Set unit to \"", name(*unit), "\"")});
}

}  // namespace

std::optional<job::TextUnit> UnitOfText(const Schema& schema) {
  const bool has_tokens =
      schema.feature_shape.size() == 2 && schema.feature_shape[1] == 1 && schema.JudgesSteps() &&
      !schema.variable_length &&
      (schema.feature_type() == FeatureType::kU8) == HasByteTokens(schema.classes()) &&
      schema.columns().empty() && schema.feature_names().empty();
  return has_tokens ? UnitOfVocabulary(schema.class_names()) : std::nullopt;
}

StatusOr<ExampleTable> ReadText(const job::TextSource& source, const ReadOptions& options) {
  DL_ASSIGN_OR_RETURN(const std::vector<std::string> paths, SourcePaths(source.path));
  DL_RETURN_IF_ERROR(CheckTrainingHasClasses(options.training, paths.front()));
  if (options.training != nullptr)
    DL_RETURN_IF_ERROR(CheckUnit(source, *options.training, paths.front()));
  TextTokens read(source.unit);
  for (const std::string& path : paths) DL_RETURN_IF_ERROR(read.Read(path));
  if (static_cast<int64_t>(read.tokens().size()) <= source.steps) {
    return InvalidArgument({.message = absl::StrCat("the text has ", read.tokens().size(),
                                                    " tokens, but an example of ", source.steps,
                                                    " steps needs ", source.steps + 1),
                            .where = paths.front(),
                            .remedy = "Set fewer steps, or give a longer text"});
  }
  ExampleTable table{.warnings = read.warnings()};
  Schema& schema = table.schema;
  ClassLabels labels{.per_example = source.steps, .mask_probability = source.mask_probability};
  labels.names =
      options.training != nullptr ? options.training->class_names() : VocabularyOf(source, read);
  labels.classes = std::ssize(labels.names);
  schema.labels = std::move(labels);
  if (schema.classes() > limits::kMaxClasses) {
    return InvalidArgument(
        {.message = absl::StrCat("the text has ", schema.classes(),
                                 " different tokens, but the limit is ", limits::kMaxClasses, ""),
         .where = paths.front(),
         .remedy = "Set vocabulary_size"});
  }
  schema.feature_shape = {source.steps, 1};
  if (HasByteTokens(schema.classes())) schema.features = ByteFeatures{};
  DL_ASSIGN_OR_RETURN(const std::vector<int32_t> tokens, IndicesIn(schema.class_names(), read));
  if (options.training != nullptr) WarnOfUnknown(tokens, schema.class_names(), table);
  WarnOfZeros(source, read, table);
  DL_RETURN_IF_ERROR(CutWindows(source, tokens, options.memory, table));
  if (options.training != nullptr)
    DL_RETURN_IF_ERROR(CheckSameSchema(schema, *options.training, paths.front()));
  if (Status status = ValidateTable(table); !status.ok())
    return AboutFile(status, paths.front(), kFetchAgain);
  return table;
}

}  // namespace dl::dataset
