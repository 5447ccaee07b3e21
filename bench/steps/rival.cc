#include "bench/steps/rival.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/files.h"
#include "base/json.h"
#include "base/name_table.h"
#include "base/system_error.h"
#include "bench/steps/rival_environment.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/model_outputs.h"
#include "nn/conf/segments.h"
#include "speed/cpu_info.h"

namespace dl::bench {
namespace {

constexpr std::pair<RivalKind, std::string_view> kNames[] = {
    {RivalKind::kInstalled, "installed"},
    {RivalKind::kTuned, "tuned"},
    {RivalKind::kTunedBf16, "tuned-bf16"},
    {RivalKind::kTorch2, "torch2"},
    {RivalKind::kTorch2Compiled, "torch2-compiled"},
};
constexpr Duration kStart = std::chrono::minutes(2), kStepsAtOnce = std::chrono::minutes(10);
constexpr int64_t kMaxAnswerBytes = 16 << 20;

template <typename T>
Status WriteArray(const std::string& path, const std::vector<T>& values) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(T)));
  file.close();
  if (file) return absl::OkStatus();
  return SystemError(errno, "write", path);
}

Json DescribeTask(const BenchTask& task, const nn::ModelConfig& model) {
  Json tensors = Json::array();
  const SegmentTable table = nn::FullTable(model);
  for (const Segment& segment : table.segments()) {
    if (segment.kind == SegmentKind::kUpdater || segment.kind == SegmentKind::kCarried) continue;
    tensors.push_back(
        {{"name", segment.name}, {"shape", segment.shape}, {"offset", segment.offset}});
  }
  std::vector<int64_t> shape = model.input().Shape();
  if (model.inputs.size() > 1) shape = {nn::ElementsOf(model.inputs)};
  const bool adam = std::holds_alternative<nn::Adam>(model.updater);
  return {{"model", task.model->twin},
          {"batch", task.batch},
          {"minibatches", speed::StepData::kMinibatches},
          {"classes", nn::LabelFormOf(nn::OutputsOf(model)).classes},
          {"shape", shape},
          {"tokens", model.input().IsSequence()},
          {"clip", model.clip_gradients_by_norm},
          {"updater", {{"type", adam ? "adam" : "nesterov"}, {"rate", RateOf(model)}}},
          {"tensors", tensors}};
}

StatusOr<Json> ReadAnswer(ChildProcess& process, Duration timeout) {
  auto line = process.ReadLine(timeout, kMaxAnswerBytes);
  if (!line.ok()) {
    return Internal({.message = absl::StrCat("PyTorch gave no answer: ", line.status().message()),
                     .remedy = "See the error of bench/torch/twin.py above"});
  }
  return ParseJson(*line, "the answer of bench/torch/twin.py");
}

}  // namespace

std::string_view RivalName(RivalKind kind) { return NameIn(kNames, kind); }

std::vector<std::string> RivalNames() {
  std::vector<std::string> names;
  for (const auto& [kind, name] : kNames) names.emplace_back(name);
  return names;
}

StatusOr<RivalKind> RivalFromName(const std::string& name) {
  RivalKind kind{};
  if (ParseIn(kNames, name, kind)) return kind;
  return InvalidArgument(
      {.message = absl::StrCat("there is no rival \"", name, "\""),
       .remedy = absl::StrCat("Name one of ", absl::StrJoin(RivalNames(), ", "))});
}

bool UsesBf16(RivalKind kind) { return kind == RivalKind::kTunedBf16; }

bool IsTorch2(RivalKind kind) {
  return kind == RivalKind::kTorch2 || kind == RivalKind::kTorch2Compiled;
}

Status CheckRival(RivalKind kind, const RivalSettings& settings) {
  if (IsTorch2(kind) && settings.root.empty()) {
    return FailedPrecondition(
        {.message = absl::StrCat("the rival ", std::string(RivalName(kind)), " has no root"),
         .remedy = "Make one by bench/torch/trixie_root.sh DIR, and name it by "
                   "--root DIR"});
  }
  RivalCommand command = CommandOf(kind, settings, speed::ReadCpuInfo());
  command.argv.insert(command.argv.end(), {"-c", "import torch, numpy"});
  DL_ASSIGN_OR_RETURN(const auto process, Spawner::Real().Start({.argv = command.argv,
                                                                 .env = command.env,
                                                                 .out = ChildOutput::Discard(),
                                                                 .err = ChildOutput::Discard()}));
  DL_ASSIGN_OR_RETURN(const ExitStatus ended, process->Wait(kStart));
  if (ended == ExitStatus()) return absl::OkStatus();
  return FailedPrecondition(
      {.message = absl::StrCat("/usr/bin/python3 cannot import torch and numpy",
                               IsTorch2(kind) ? " in " + settings.root : ""),
       .remedy = IsTorch2(kind) ? "Make the root by bench/torch/trixie_root.sh DIR"
                                : "apt-get install python3-torch libblis4-openmp libjemalloc2"});
}

RivalTask::RivalTask(const BenchTask& task, const nn::ModelConfig& model,
                     const speed::StepData& data, const std::vector<float>& state)
    : folder_((std::filesystem::temp_directory_path() / "paravane-steps-XXXXXX").string()),
      has_images_(model.input().IsImage()) {
  if (mkdtemp(folder_.data()) == nullptr) {
    written_ = SystemError(errno, "create the folder", folder_);
    return;
  }
  written_ = AtomicWriteFile(folder_ + "/task.json", JsonText(DescribeTask(task, model)));
  if (written_.ok()) written_ = WriteArray(folder_ + "/weights.bin", state);
  if (written_.ok()) written_ = WriteArray(folder_ + "/features.bin", data.features());
  if (written_.ok()) written_ = WriteArray(folder_ + "/labels.bin", data.labels());
}

RivalTask::~RivalTask() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

StatusOr<std::unique_ptr<Rival>> Rival::Start(RivalKind kind, const RivalSettings& settings,
                                              const RivalTask& task) {
  const bool may_choose = kind != RivalKind::kInstalled && task.has_images();
  if (!may_choose) return StartWith(kind, settings, task, false);
  constexpr int64_t kSteps = 4;
  double best_ms = 0;
  bool best = false;
  for (const bool channels_last : {false, true}) {
    DL_ASSIGN_OR_RETURN(const auto rival, StartWith(kind, settings, task, channels_last));
    DL_ASSIGN_OR_RETURN(const Steps steps, rival->Make(kSteps));
    const double ms = speed::LeastOf(steps.times.cpu);
    if (!channels_last || ms < best_ms) std::tie(best_ms, best) = std::pair(ms, channels_last);
  }
  return StartWith(kind, settings, task, best);
}

StatusOr<std::unique_ptr<Rival>> Rival::StartWith(RivalKind kind, const RivalSettings& settings,
                                                  const RivalTask& task, bool channels_last) {
  DL_RETURN_IF_ERROR(task.written());
  std::unique_ptr<Rival> rival(new Rival(kind, channels_last));
  static int pipes = 0;
  rival->pipe_ = absl::StrCat(task.folder(), "/commands", ++pipes);
  if (mkfifo(rival->pipe_.c_str(), 0600) != 0) return SystemError(errno, "create", rival->pipe_);
  // Open for reading too: otherwise this call would wait for the reader.
  rival->commands_ = open(rival->pipe_.c_str(), O_RDWR | O_CLOEXEC);
  if (rival->commands_ < 0) return SystemError(errno, "open", rival->pipe_);
  RivalCommand command = CommandOf(kind, settings, speed::ReadCpuInfo());
  command.argv.insert(command.argv.end(),
                      {std::string(DL_BENCH_TORCH) + "/twin.py", task.folder(), rival->pipe_,
                       "--dtype", UsesBf16(kind) ? "bf16" : "float32", "--format",
                       channels_last ? "channels_last" : "contiguous"});
  if (kind == RivalKind::kTorch2Compiled) command.argv.emplace_back("--compile");
  DL_ASSIGN_OR_RETURN(rival->process_,
                      Spawner::Real().Start(
                          {.argv = command.argv, .env = command.env, .out = ChildOutput::Pipe()}));
  DL_ASSIGN_OR_RETURN(const Json ready, ReadAnswer(*rival->process_, kStart));
  rival->version_ = ready.at("version");
  rival->sgemm_ = ready.at("sgemm");
  return rival;
}

Rival::~Rival() {
  if (commands_ >= 0) close(commands_);
}

StatusOr<speed::Stepper::Steps> Rival::Make(int64_t count) {
  const std::string command = absl::StrCat("{\"steps\": ", count, "}\n");
  if (write(commands_, command.data(), command.size()) != static_cast<ssize_t>(command.size()))
    return SystemError(errno, "write to", pipe_);
  DL_ASSIGN_OR_RETURN(const Json answer, ReadAnswer(*process_, kStepsAtOnce));
  memory_growth_ = answer.at("memory_growth");
  return Steps{.times = {.cpu = answer.at("cpu_ms"), .wall = answer.at("wall_ms")},
               .losses = answer.at("losses")};
}

}  // namespace dl::bench
