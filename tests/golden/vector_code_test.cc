// Tests the machine code of the kernels: a function that is compiled for wide vectors uses them. A
// compiler that cannot vectorize a loop says nothing, and the loop only becomes slow.
#include <chrono>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "base/process.h"
#include "gtest/gtest.h"

namespace dl::nn {
namespace {

// Instructions of a function that compute with floating-point numbers.
struct Instructions {
  int64_t of_vectors = 0, of_numbers = 0;
};

// Counts the instructions of each function in text that objdump printed.
std::map<std::string, Instructions> CountInstructions(const std::string& text) {
  static const std::regex function("^[0-9a-f]+ <(.*)>:$");
  static const std::regex arithmetic(R"(\bv?(?:add|sub|mul|div|max|min|sqrt|cmp\w*?)([ps])[sd]\b)");
  std::map<std::string, Instructions> functions;
  std::string name;
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(text, '\n'))) {
    std::smatch match;
    if (std::regex_match(line, match, function)) {
      name = match[1];
    } else if (std::regex_search(line, match, arithmetic)) {
      ++(match[1] == "p" ? functions[name].of_vectors : functions[name].of_numbers);
    }
  }
  return functions;
}

// The part of a loop that has too few numbers for a vector uses single numbers: at most six
// instructions for each one of the vector part. More are those of a loop without vectors.
bool UsesVectors(const Instructions& function) {
  constexpr int64_t kMostOfRemainder = 6;
  return function.of_numbers <= kMostOfRemainder * function.of_vectors;
}

std::string Disassemble(const std::string& object) {
  constexpr size_t kMostText = size_t{64} << 20;
  constexpr Duration kPatience = std::chrono::minutes(2);
  const auto objdump =
      Spawner::Real().Start({.argv = {"/usr/bin/objdump", "-dC", "--no-show-raw-insn", object},
                             .out = ChildOutput::Pipe()});
  if (!objdump.ok()) return "";
  std::string text = (*objdump)->ReadAll(kPatience, kMostText).value_or("");
  const auto ended = (*objdump)->Wait(kPatience);
  EXPECT_TRUE(ended.ok() && ended->code == 0) << object;
  return text;
}

TEST(VectorCode, KernelsUseTheVectorsTheyAreCompiledFor) {
  int64_t clones = 0;
  for (const std::string& object : std::vector<std::string>(absl::StrSplit(KERNEL_OBJECTS, ':'))) {
    for (const auto& [name, function] : CountInstructions(Disassemble(object))) {
      if (!absl::StrContains(name, "[clone .arch_x86_64_v")) continue;
      ++clones;
      EXPECT_TRUE(UsesVectors(function))
          << name << " has " << function.of_numbers << " instructions for single numbers and "
          << function.of_vectors
          << " for vectors. Put DL_INDEPENDENT before its loop, or use lanes";
    }
  }
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  if (clones == 0) GTEST_SKIP() << "with a sanitizer, kernels are compiled for one instruction set";
#endif
  EXPECT_GT(clones, 100);
}

TEST(VectorCode, CountsInstructionsByFunction) {
  const auto functions = CountInstructions(
      "0000000000000000 <dl::nn::Fast(float*, long) [clone .arch_x86_64_v4]>:\n"
      "   4:\tvmulps (%rdi),%zmm1,%zmm0\n"
      "   a:\tvaddss %xmm0,%xmm1,%xmm2\n"
      "0000000000000040 <dl::nn::Slow(float*, long) [clone .arch_x86_64_v4]>:\n"
      "  44:\tvmulss (%rdi),%xmm1,%xmm0\n"
      "  48:\tmovaps %xmm0,%xmm1\n");
  ASSERT_EQ(functions.size(), 2u);
  EXPECT_TRUE(UsesVectors(functions.begin()->second));
  EXPECT_FALSE(UsesVectors(functions.rbegin()->second));
}

}  // namespace
}  // namespace dl::nn
