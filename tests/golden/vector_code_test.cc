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

// Instructions of a tile of a product (nn/kernels/conv/weight_gradient_tile.h, nn/kernels/product/
// product_tile.h).
struct TileCode {
  int64_t fused = 0;     // fused multiply-adds of vectors
  int64_t on_stack = 0;  // vectors that it stores to or reads from the stack
};

// Finds the tiles in text that objdump printed, by vectors * rows of the tile.
std::multimap<int64_t, TileCode> FindTiles(const std::string& text) {
  static const std::regex tile(R"(^[0-9a-f]+ <.*avx(?:2|512)::(?:Rows)?Tile<(\d+), (\d+)>\(.*>:$)");
  static const std::regex fused(R"(\bvfmadd\d+ps\b)"),
      stack(R"([yz]mm.*\(%r[sb]p|\(%r[sb]p.*[yz]mm)");
  std::multimap<int64_t, TileCode> tiles;
  TileCode* current = nullptr;
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(text, '\n'))) {
    std::smatch match;
    if (absl::EndsWith(line, ">:")) {
      current =
          std::regex_match(line, match, tile)
              ? &tiles.emplace(std::stoll(match[1]) * std::stoll(match[2]), TileCode())->second
              : nullptr;
    } else if (current != nullptr) {
      current->fused += std::regex_search(line, fused) ? 1 : 0;
      current->on_stack += std::regex_search(line, stack) ? 1 : 0;
    }
  }
  return tiles;
}

// The part of a loop that has too few numbers for a vector uses single numbers: at most six
// instructions for each one of the vector part. More are those of a loop without vectors.
bool UsesVectors(const Instructions& function) {
  constexpr int64_t kMostOfRemainder = 6;
  return function.of_numbers <= kMostOfRemainder * function.of_vectors;
}

std::string Disassemble(const std::string& object) {
  constexpr size_t kMostText = size_t{64} << 20;
  constexpr Duration kTimeout = std::chrono::minutes(2);
  const auto objdump =
      Spawner::Real().Start({.argv = {"/usr/bin/objdump", "-dC", "--no-show-raw-insn", object},
                             .out = ChildOutput::Pipe()});
  if (!objdump.ok()) return "";
  std::string text = (*objdump)->ReadAll(kTimeout, kMostText).value_or("");
  const auto ended = (*objdump)->Wait(kTimeout);
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

// A tile adds one product to each of its sums at a position. The sums are slower by half if the
// compiler keeps them in memory.
TEST(VectorCode, TilesKeepTheirSumsInRegisters) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer adds code";
#endif
  size_t tiles = 0;
  for (const std::string& object : std::vector<std::string>(absl::StrSplit(KERNEL_OBJECTS, ':'))) {
    for (const auto& [sums, code] : FindTiles(Disassemble(object))) {
      ++tiles;
      EXPECT_EQ(code.fused, sums);
      EXPECT_EQ(code.on_stack, 0) << "of a tile with " << sums << " sums";
    }
  }
  EXPECT_GT(tiles, 50u);
}

TEST(VectorCode, FindsSumsOnStack) {
  const auto tiles = FindTiles(
      "0000000000000000 <dl::nn::(anonymous namespace)::avx2::Tile<1, 2>(dl::nn::X const&)>:\n"
      "   4:\tvfmadd231ps %ymm3,%ymm2,%ymm4\n"
      "   a:\tvfmadd213ps (%rdi),%ymm1,%ymm0\n"
      "   e:\tvmovaps %ymm4,-0x78(%rsp)\n"
      "0000000000000040 <dl::nn::Other(float*)>:\n"
      "  44:\tvmovaps %ymm4,-0x78(%rsp)\n");
  ASSERT_EQ(tiles.size(), 1u);
  EXPECT_EQ(tiles.begin()->first, 2);
  EXPECT_EQ(tiles.begin()->second.fused, 2);
  EXPECT_EQ(tiles.begin()->second.on_stack, 1);
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
