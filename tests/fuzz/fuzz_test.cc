// A short run of all fuzz targets: the files of the corpus and mutations of them, the same in every
// run. ./dev fuzz searches further.
#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/files.h"
#include "base/philox.h"
#include "gtest/gtest.h"
#include "tests/fuzz/fuzz_target.h"

namespace dl::fuzz {
namespace {

using std::string_view_literals::operator""sv;

constexpr int kMutations = 300;  // per file
constexpr int64_t kMostBytes = 1 << 20;

struct Input {
  std::string path, bytes;
};

std::vector<Input> Corpus(std::string_view target) {
  std::vector<std::string> paths;
  std::vector<Input> inputs;
  const std::string folder = std::string(DL_FUZZ_CORPUS "/") + std::string(target);
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) {
    auto bytes = ReadFile(path, kMostBytes);
    EXPECT_TRUE(bytes.ok()) << bytes.status();
    inputs.push_back({path, *std::move(bytes)});
  }
  return inputs;
}

class Mutator {
 public:
  explicit Mutator(uint64_t seed) : random_({.a = seed}) {}

  std::string Mutate(std::string bytes, const std::vector<Input>& others) {
    for (size_t changes = 1 + Below(4); changes > 0; --changes) Change(bytes, others);
    return bytes;
  }

 private:
  size_t Below(size_t n) { return random_.Bounded(n); }

  void Change(std::string& bytes, const std::vector<Input>& others) {
    static constexpr std::string_view kMutatedText =
        "\0\x01\x7f\x80\xff\n\r\t ,;:\"'{}[]-+.0123456789eEnN#%"sv;
    const size_t at = Below(bytes.size() + 1), length = Below(bytes.size() - at + 1);
    switch (Below(6)) {
      case 0:
        if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << Below(8)));
        break;
      case 1:
        if (at < bytes.size()) bytes[at] = kMutatedText[Below(kMutatedText.size())];
        break;
      case 2:
        bytes.insert(at, 1 + Below(3), kMutatedText[Below(kMutatedText.size())]);
        break;
      case 3:
        bytes.erase(at, length);
        break;
      case 4:
        bytes.insert(at, bytes.substr(at, std::min<size_t>(length, 64)));
        break;
      default: {
        const std::string& other = others[Below(others.size())].bytes;
        bytes = bytes.substr(0, at) + other.substr(Below(other.size() + 1));
      }
    }
  }

  RandomStream random_;
};

class FuzzTest : public testing::TestWithParam<Target> {};

TEST_P(FuzzTest, CorpusAndItsMutations) {
  const std::vector<Input> corpus = Corpus(GetParam().name);
  ASSERT_FALSE(corpus.empty());
  Mutator mutator(corpus.size());
  for (const Input& input : corpus) {
    // Inputs that are rejected early find little, so each file must be accepted unless its name
    // begins with "bad-".
    const bool bad = std::filesystem::path(input.path).filename().string().starts_with("bad-");
    EXPECT_EQ(GetParam().run(input.bytes), !bad) << input.path;
    for (int i = 0; i < kMutations; ++i) GetParam().run(mutator.Mutate(input.bytes, corpus));
  }
}

INSTANTIATE_TEST_SUITE_P(, FuzzTest, testing::ValuesIn(Targets().begin(), Targets().end()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace dl::fuzz
