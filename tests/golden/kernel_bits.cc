// kernel_bits KEY=VALUE ...: the bits of KernelCases() by name, in JSON objects: those that depend
// on the second or the last cache apart. isa=ISA; the others make oneDNN compute as on another CPU
// (OnednnCpu): l1d= l2= l3= cores= numbers, level=only, vendor=other. A process of its own: all of
// it can be set once.
#include <iostream>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "nn/kernel_contract.h"
#include "tests/golden/kernel_models.h"
#include "tests/golden/onednn_cpu.h"

namespace dl::test {
namespace {

OnednnCpu CpuOf(const std::map<std::string, std::string>& words) {
  OnednnCpu cpu{.only_the_level = words.contains("level"),
                .of_another_vendor = words.contains("vendor")};
  const auto number = [&](const char* key) {
    const auto found = words.find(key);
    return found == words.end() ? 0 : static_cast<uint32_t>(std::stoul(found->second));
  };
  cpu.cores = number("cores");
  if (words.contains("l1d")) cpu.caches = {number("l1d"), number("l2"), number("l3")};
  return cpu;
}

Status Run(int argc, char** argv) {
  std::map<std::string, std::string> words;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const size_t equals = word.find('=');
    if (equals == std::string::npos)
      return InvalidArgument({.message = absl::StrCat("\"", word, "\" is no KEY=VALUE")});
    words[word.substr(0, equals)] = word.substr(equals + 1);
  }
  DL_ASSIGN_OR_RETURN(const nn::Isa isa, nn::IsaFromName(words["isa"]));
  DL_RETURN_IF_ERROR(nn::SetProcessIsa(isa));
  DL_RETURN_IF_ERROR(SetOnednnCpu(CpuOf(words)));
  Json bits;
  for (const KernelCase& one : KernelCases()) {
    const nn::CachesInBits caches = one.Caches();
    DL_CHECK(!caches.second || !caches.last);  // no such case yet
    const char* key = caches.second ? "bits_by_second_cache"
                      : caches.last ? "bits_by_last_cache"
                                    : "bits";
    bits[key][one.name] = BitsOf(one);
  }
  std::cout << bits.dump() << std::endl;
  return absl::OkStatus();
}

}  // namespace
}  // namespace dl::test

int main(int argc, char** argv) {
  const dl::Status status = dl::test::Run(argc, argv);
  if (!status.ok()) std::cerr << dl::DescribeError(status) << std::endl;
  return status.ok() ? 0 : 1;
}
