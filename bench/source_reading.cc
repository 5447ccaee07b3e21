#include "bench/source_reading.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <functional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/files.h"
#include "base/philox.h"
#include "bench/measures.h"
#include "bench/temporary_folder.h"
#include "dataset/block_cutting.h"
#include "dataset/readers/source.h"
#include "dataset/readers/table/table_guess.h"
#include "tests/unit/dataset/image_bytes.h"

namespace dl::bench {
namespace {

// The CPU time of all threads of this process.
double ProcessSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Stage {
  std::string name;
  double cpu_s = HUGE_VAL, wall_s = HUGE_VAL;  // least of all repeats

  Status Measure(const std::function<Status()>& work) {
    Status status;
    const double begin = ProcessSeconds();
    const double wall = SecondsOf([&] { status = work(); });
    cpu_s = std::min(cpu_s, ProcessSeconds() - begin);
    wall_s = std::min(wall_s, wall);
    return status;
  }
};

Json StagesToJson(const std::vector<const Stage*>& stages, Json json) {
  for (const Stage* stage : stages)
    json[stage->name] = {{"cpu_s", stage->cpu_s}, {"wall_s", stage->wall_s}};
  return json;
}

double CpuOf(const std::vector<const Stage*>& stages) {
  double sum = 0;
  for (const Stage* stage : stages) sum += stage->cpu_s;
  return sum;
}

double WallOf(const std::vector<const Stage*>& stages) {
  double sum = 0;
  for (const Stage* stage : stages) sum += stage->wall_s;
  return sum;
}

class DroppedBlocks : public dataset::BlockSink {
 public:
  Status Put(const std::string& /*sha256*/, std::span<const std::byte> /*bytes*/) override {
    return absl::OkStatus();
  }
};

std::string NumberField(RandomStream& random, int column) {
  const double value = static_cast<double>(random.Bounded(2'000'000)) * 1e-6 - 1;
  switch (column % 7) {
    case 0:
    case 1:
    case 2:
      return absl::StrFormat("%.6f", 4 * value);
    case 3:
      return absl::StrFormat("%.4f", 2 + value);
    case 4:
      return absl::StrCat(random.Bounded(5000));
    case 5:
      return absl::StrFormat("%.17g", value / 3);
    default:
      return absl::StrFormat("%.3e", 100 * value);
  }
}

std::string WordField(RandomStream& random, int column) {
  static constexpr std::string_view kWords[] = {"Private", "Self-emp-not-inc",   "Local-gov",
                                                "HS-grad", "\"Canada, Quebec\"", "\"Bachelors\""};
  switch (column % 4) {
    case 0:
    case 1:
      return std::string(kWords[random.Bounded(std::size(kWords))]);
    case 2:
      return absl::StrCat("city ", random.Bounded(90));
    default:
      return random.Bounded(2) == 0 ? "yes" : "no";
  }
}

std::string Field(TableKind kind, RandomStream& random, int column) {
  switch (kind) {
    case TableKind::kWords:
      if (column % 2 == 1) return WordField(random, column / 2);
      break;
    case TableKind::kDecimals:
      return absl::StrFormat("%.4f", static_cast<double>(random.Bounded(80'000)) * 1e-4 - 4);
    case TableKind::kIntegers:
      return absl::StrCat(static_cast<int64_t>(random.Bounded(100'000)) - column % 2 * 50'000);
    case TableKind::kNumbers:
      break;
  }
  return NumberField(random, column);
}

int ColumnsOf(TableKind kind) {
  if (kind == TableKind::kDecimals) return 100;
  return kind == TableKind::kIntegers ? 30 : 14;
}

Status WriteTable(const std::string& path, int64_t bytes, TableKind kind) {
  const int columns = ColumnsOf(kind);
  RandomStream random({.seed = 1, .purpose = RandomPurpose::kForTests});
  std::string text;
  for (int i = 0; i < columns; ++i) absl::StrAppend(&text, "x", i, ",");
  text += "label\n";
  while (std::ssize(text) < bytes) {
    for (int i = 0; i < columns; ++i) absl::StrAppend(&text, Field(kind, random, i), ",");
    absl::StrAppend(&text, random.Bounded(2) == 0 ? "<=50K" : ">50K", "\n");
  }
  return AtomicWriteFile(path, text);
}

Status WriteImages(const std::string& folder, const ReadingPlan& plan) {
  constexpr int64_t kHeight = 256, kWidth = 320, kDrawings = 8;
  for (int64_t i = 0; i < plan.images; ++i) {
    const std::string of_class = absl::StrCat(folder, "/class", i % 2);
    std::filesystem::create_directories(of_class);
    const test::Pixels pixels =
        test::Drawn(kHeight, kWidth, 3, static_cast<uint64_t>(i % kDrawings));
    const bool is_png = i / 2 % 2 == 0;
    DL_RETURN_IF_ERROR(AtomicWriteFile(absl::StrCat(of_class, "/", i, is_png ? ".png" : ".jpg"),
                                       is_png ? test::Png(pixels) : test::Jpeg(pixels)));
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<Json> MeasureTable(const ReadingPlan& plan, TableKind kind) {
  const TemporaryFolder folder;
  std::string path = plan.source;
  if (path.empty()) {
    path = absl::StrCat(folder.path(), "/table.csv");
    DL_RETURN_IF_ERROR(WriteTable(path, plan.mib << 20, kind));
  }
  const auto bytes = static_cast<double>(std::filesystem::file_size(path));
  Stage guess{"guess"}, read{"read"}, cut{"cut"};
  int64_t examples = 0;
  for (int64_t i = 0; i < plan.repeats; ++i) {
    dataset::GuessedTable guessed;
    dataset::ExampleTable table;
    DL_RETURN_IF_ERROR(guess.Measure([&]() -> Status {
      DL_ASSIGN_OR_RETURN(guessed, dataset::GuessTable(path));
      return absl::OkStatus();
    }));
    DL_RETURN_IF_ERROR(read.Measure([&]() -> Status {
      DL_ASSIGN_OR_RETURN(table, dataset::ReadSource(guessed.source, {}));
      return absl::OkStatus();
    }));
    DL_RETURN_IF_ERROR(cut.Measure([&]() -> Status {
      DroppedBlocks sink;
      return dataset::CutBlocks(table, {.order = dataset::CutOrder::kShuffled}, sink).status();
    }));
    examples = table.examples;
  }
  const std::vector<const Stage*> stages = {&guess, &read, &cut};
  return StagesToJson(stages, Json{{"bytes", bytes},
                                   {"examples", examples},
                                   {"mb_per_cpu_s", bytes * 1e-6 / CpuOf(stages)},
                                   {"mb_per_s", bytes * 1e-6 / WallOf(stages)}});
}

StatusOr<Json> MeasureImages(const ReadingPlan& plan) {
  const TemporaryFolder folder;
  std::string path = plan.source;
  if (path.empty()) {
    path = folder.path();
    DL_RETURN_IF_ERROR(WriteImages(path, plan));
  }
  const job::ImageFolderSource source{.folder = path, .height = plan.side, .width = plan.side};
  Stage read{"read"}, cut{"cut"};
  int64_t examples = 0;
  for (int64_t i = 0; i < plan.repeats; ++i) {
    dataset::ExampleTable table;
    DL_RETURN_IF_ERROR(read.Measure([&]() -> Status {
      DL_ASSIGN_OR_RETURN(table, dataset::ReadSource(source, {}));
      return absl::OkStatus();
    }));
    DL_RETURN_IF_ERROR(cut.Measure([&]() -> Status {
      DroppedBlocks sink;
      return dataset::CutBlocks(table, {.order = dataset::CutOrder::kShuffled}, sink).status();
    }));
    examples = table.examples;
  }
  const std::vector<const Stage*> stages = {&read, &cut};
  const auto images = static_cast<double>(examples);
  return StagesToJson(stages, Json{{"images", examples},
                                   {"images_per_cpu_s", images / CpuOf(stages)},
                                   {"images_per_s", images / WallOf(stages)}});
}

}  // namespace dl::bench
