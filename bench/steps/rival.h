// Training steps of PyTorch, in a process of its own (bench/torch/twin.py).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.h"
#include "bench/steps/measured_models.h"
#include "nn/kernel_contract.h"
#include "speed/step_data.h"
#include "speed/stepper.h"

namespace dl::bench {

// How PyTorch is installed and set up.
enum class RivalKind : uint8_t {
  kInstalled,       // PyTorch 1.13 with the settings of its package
  kTuned,           // with BLIS, jemalloc and the better layout of images
  kTunedBf16,       // the same, products in bf16 by autocast
  kTorch2,          // PyTorch 2 in another root folder
  kTorch2Compiled,  // the same, by torch.compile
};
std::string_view RivalName(RivalKind kind);                  // "tuned"
StatusOr<RivalKind> RivalFromName(const std::string& name);  // InvalidArgument for other names
std::vector<std::string> RivalNames();
bool UsesBf16(RivalKind kind);
bool IsTorch2(RivalKind kind);  // runs in RivalSettings::root

struct RivalSettings {
  nn::Isa isa = nn::Isa::kAvx512;
  int threads = 1;
  std::string root;  // of kTorch2: the folder that bench/torch/trixie_root.sh has made
};

// Returns OK if this rival can be started, otherwise the reason with a remedy.
Status CheckRival(RivalKind kind, const RivalSettings& settings);

// The files from which rivals read the model, its weights and its minibatches.
class RivalTask {
 public:
  // Writes the files to a temporary folder.
  RivalTask(const BenchTask& task, const nn::ModelConfig& model, const speed::StepData& data,
            const std::vector<float>& state);
  ~RivalTask();
  RivalTask(const RivalTask&) = delete;
  RivalTask& operator=(const RivalTask&) = delete;

  const Status& written() const { return written_; }
  const std::string& folder() const { return folder_; }
  bool has_images() const { return has_images_; }

 private:
  std::string folder_;
  bool has_images_ = false;
  Status written_;
};

class Rival : public speed::Stepper {
 public:
  // Starts the process and waits until it is ready. The process runs on the processors to which the
  // calling thread is bound. For images, kTuned runs both layouts for a few steps and keeps the
  // faster one. Returns Internal if PyTorch fails; its error is on standard error.
  static StatusOr<std::unique_ptr<Rival>> Start(RivalKind kind, const RivalSettings& settings,
                                                const RivalTask& task);
  ~Rival() override;

  StatusOr<Steps> Make(int64_t count) override;
  int64_t MemoryGrowth() const override { return memory_growth_; }

  RivalKind kind() const { return kind_; }
  const std::string& version() const { return version_; }  // of PyTorch
  double sgemm() const { return sgemm_; }  // operations a second of a large product, float32
  bool channels_last() const { return channels_last_; }

 private:
  Rival(RivalKind kind, bool channels_last) : kind_(kind), channels_last_(channels_last) {}
  static StatusOr<std::unique_ptr<Rival>> StartWith(RivalKind kind, const RivalSettings& settings,
                                                    const RivalTask& task, bool channels_last);

  const RivalKind kind_;
  const bool channels_last_;
  std::string version_;
  double sgemm_ = 0;
  int64_t memory_growth_ = 0;
  int commands_ = -1;  // the named pipe, or -1
  std::string pipe_;
  std::unique_ptr<ChildProcess> process_;
};

}  // namespace dl::bench
