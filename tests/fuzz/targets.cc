#include <array>
#include <cstdlib>
#include <iostream>

#include "tests/fuzz/fuzz_target.h"
#include "tests/support/temp_folder.h"

namespace dl::fuzz {

std::span<const Target> Targets() {
  static constexpr std::array kTargets = {
      Target{"job", FuzzJob},         Target{"manifest", FuzzManifest},
      Target{"block", FuzzBlock},     Target{"csv", FuzzCsv},
      Target{"libsvm", FuzzLibsvm},   Target{"idx", FuzzIdx},
      Target{"cifar", FuzzCifar},     Target{"npy", FuzzNpy},
      Target{"npz", FuzzNpz},         Target{"text", FuzzText},
      Target{"image", FuzzImage},     Target{"safetensors", FuzzSafetensors},
      Target{"wire", FuzzWire},       Target{"stored", FuzzStored},
      Target{"metrics", FuzzMetrics}, Target{"histograms", FuzzHistograms},
      Target{"archive", FuzzArchive},
  };
  return kTargets;
}

const Target* FindTarget(std::string_view name) {
  for (const Target& target : Targets()) {
    if (target.name == name) return &target;
  }
  return nullptr;
}

void Require(bool holds, std::string_view what) {
  if (holds) return;
  std::cerr << "not so: " << what << std::endl;
  std::abort();
}

void RequireGoodError(const Status& status) {
  Require(!status.message().empty(), "an error says what");
  Require(!ErrorWhere(status).empty(), "an error says where: " + std::string(status.message()));
  Require(!ErrorRemedy(status).empty(), "an error says what to do: " + DescribeError(status));
}

std::string WriteInput(std::string_view bytes, const std::string& name) {
  static const test::TempFolder folder;
  return folder.Write(name, std::string(bytes));
}

uint8_t TakeChoice(std::string_view& bytes) {
  if (bytes.empty()) return 0;
  const auto choice = static_cast<uint8_t>(bytes.front());
  bytes.remove_prefix(1);
  return choice;
}

}  // namespace dl::fuzz
