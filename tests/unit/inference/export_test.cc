#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/file_descriptor.h"
#include "base/files.h"
#include "base/json.h"
#include "base/process.h"
#include "base/system_error.h"
#include "gtest/gtest.h"
#include "inference/export/license.h"
#include "inference/export/tensors.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl::inference {
namespace {

TEST(License, KnownIdentifiersHaveTheirSpelling) {
  EXPECT_EQ(SpdxSpelling("mit"), "MIT");
  EXPECT_EQ(SpdxSpelling("APACHE-2.0"), "Apache-2.0");
  EXPECT_EQ(SpdxSpelling("gpl-3.0-or-later"), "GPL-3.0-or-later");
  EXPECT_EQ(SpdxSpelling("My License"), "My License");
}

TEST(License, CardHasIdentifiersOfTheHub) {
  EXPECT_EQ(LicenseYaml("MIT"), "license: mit\n");
  EXPECT_EQ(LicenseYaml("CC-BY-NC-SA-4.0"), "license: cc-by-nc-sa-4.0\n");
  EXPECT_EQ(LicenseYaml("OpenRAIL++"), "license: openrail++\n");
  EXPECT_EQ(LicenseYaml("My \"License\""),
            "license: other\nlicense_name: \"My \\\"License\\\"\"\n");
  EXPECT_EQ(LicenseYaml("https://example.org/l#1"),
            "license: other\nlicense_link: \"https://example.org/l#1\"\n");
  EXPECT_EQ(LicenseYaml(""), "");
}

const std::vector<float> kWeights = {1, 2, 3, -4, 5.5f, 1e-40f};
const std::vector<float> kBias = {0.25f, -0.0f};

TensorFile File() {
  return {.tensors = {{"conv1.weight", {2, 3}, kWeights}, {"conv1.bias", {2}, kBias}},
          .metadata = {{"checkpoint", "lenet-1@7"}}};
}

using Writer = Status (*)(const TensorFile&, ByteSink);

StatusOr<std::string> Written(Writer write, const TensorFile& file = File()) {
  std::string bytes;
  DL_RETURN_IF_ERROR(write(file, [&](std::string_view piece) {
    bytes += piece;
    return absl::OkStatus();
  }));
  return bytes;
}

TEST(Safetensors, HeaderThenValues) {
  auto bytes = Written(WriteSafetensors);
  DL_ASSERT_OK(bytes);
  uint64_t length = 0;
  std::memcpy(&length, bytes->data(), sizeof(length));
  EXPECT_EQ(length % 8, 0);
  const Json header = Json::parse(bytes->substr(8, length));
  EXPECT_EQ(header["__metadata__"]["checkpoint"], "lenet-1@7");
  EXPECT_EQ(header["conv1.weight"],
            (Json{{"dtype", "F32"}, {"shape", {2, 3}}, {"data_offsets", {0, 24}}}));
  EXPECT_EQ(header["conv1.bias"],
            (Json{{"dtype", "F32"}, {"shape", Json::array({2})}, {"data_offsets", {24, 32}}}));
  ASSERT_EQ(bytes->size(), 8 + length + 32);
  EXPECT_EQ(std::memcmp(bytes->data() + 8 + length, kWeights.data(), 24), 0);
  EXPECT_EQ(std::memcmp(bytes->data() + 8 + length + 24, kBias.data(), 8), 0);
}

// Python's zip reader checks every CRC. The .npy headers are parsed as documented.
constexpr char kReadNpz[] = R"py(
import ast, json, struct, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
assert {entry.compress_type for entry in archive.infolist()} == {zipfile.ZIP_STORED}
out = {}
for name in archive.namelist():
    data = archive.read(name)
    assert data[:8] == b"\x93NUMPY\x01\x00", data[:8]
    length = struct.unpack("<H", data[8:10])[0]
    assert (10 + length) % 64 == 0
    header = ast.literal_eval(data[10:10 + length].decode("latin1"))
    body = data[10 + length:]
    values = body.decode() if header["descr"].startswith("|S") else struct.unpack("<%df" % (len(body) // 4), body)
    out[name] = [header["descr"], header["shape"], values]
json.dump(out, sys.stdout)
)py";

constexpr char kReadWithNumpy[] = R"py(
import json, sys
try:
    import numpy
except ImportError:
    print("no numpy"); sys.exit(0)
file = numpy.load(sys.argv[1])
assert file["conv1.weight"].shape == (2, 3) and file["conv1.weight"].dtype == numpy.float32
assert file["conv1.weight"].tolist()[1][0] == -4 and file["conv1.bias"].tolist() == [0.25, 0]
assert json.loads(file["__metadata__"].item())["checkpoint"] == "lenet-1@7"
print("read")
)py";

std::string RunPython(const char* program, const std::string& argument) {
  auto child = Spawner::Real().Start(
      {.argv = {"/usr/bin/python3", "-c", program, argument}, .out = ChildOutput::Pipe()});
  if (!child.ok()) return "";
  auto text = (*child)->ReadAll(std::chrono::minutes(2), 1 << 20);
  auto end = (*child)->Wait(std::chrono::minutes(2));
  return text.ok() && end.ok() && *end == ExitStatus{} ? *text : "failed";
}

TEST(Npz, PythonReadsIt) {
  if (!std::filesystem::exists("/usr/bin/python3")) GTEST_SKIP() << "needs python3";
  test::TempFolder folder;
  auto bytes = Written(WriteNpz);
  DL_ASSERT_OK(bytes);
  DL_ASSERT_OK(AtomicWriteFile(folder / "x.npz", *bytes));
  const auto read = ParseJson(RunPython(kReadNpz, folder / "x.npz"), "python");
  DL_ASSERT_OK(read);
  EXPECT_EQ((*read)["conv1.weight.npy"], (Json{"<f4", {2, 3}, kWeights}));
  EXPECT_EQ((*read)["conv1.bias.npy"][1], Json::array({2}));
  EXPECT_EQ((*read)["__metadata__.npy"][1], Json::array());
  EXPECT_EQ(Json::parse((*read)["__metadata__.npy"][2].get<std::string>())["checkpoint"],
            "lenet-1@7");
}

TEST(Npz, NumpyReadsIt) {
  test::TempFolder folder;
  DL_ASSERT_OK(AtomicWriteFile(folder / "x.npz", *Written(WriteNpz)));
  const std::string said = RunPython(kReadWithNumpy, folder / "x.npz");
  if (said.empty() || said.starts_with("no numpy")) GTEST_SKIP() << "needs python3-numpy";
  EXPECT_EQ(said, "read\n");
}

// The large tensor is memory that was never touched, which reads as zeros and uses no space. The
// sink skips its bytes, so the file is sparse, too. Python computed the expected CRC from the same
// bytes once; reading them all takes ten seconds.
constexpr char kReadLarge[] = R"py(
import sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
print([(entry.filename, entry.file_size, entry.CRC) for entry in archive.infolist()][0])
print(archive.read("behind.npy")[-8:].hex())
)py";

TEST(Npz, TensorsOfMoreThan4GiBTakeNoMemory) {
  constexpr size_t kValues = (size_t{1} << 30) + 1000;
  const auto unmap = [](void* at) { munmap(at, kValues * sizeof(float)); };
  const std::unique_ptr<void, decltype(unmap)> zeros(
      mmap(nullptr, kValues * sizeof(float), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
           -1, 0),
      unmap);
  ASSERT_NE(zeros.get(), MAP_FAILED);
  madvise(zeros.get(), kValues * sizeof(float), MADV_HUGEPAGE);  // reduces page faults
  const TensorFile file = {
      .tensors = {{"large", {kValues}, {static_cast<const float*>(zeros.get()), kValues}},
                  {"behind", {2}, kBias}}};
  test::TempFolder folder;
  FileDescriptor out(open((folder / "x.npz").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  off_t at = 0;
  size_t longest = 0;
  DL_ASSERT_OK(WriteNpz(file, [&](std::string_view piece) -> Status {
    longest = std::max(longest, piece.size());
    const bool zeros_only =
        piece[0] == 0 && std::memcmp(piece.data(), piece.data() + 1, piece.size() - 1) == 0;
    if (!zeros_only &&
        pwrite(out.get(), piece.data(), piece.size(), at) != static_cast<ssize_t>(piece.size())) {
      return SystemError(errno, "write", "x.npz");
    }
    at += static_cast<off_t>(piece.size());
    return absl::OkStatus();
  }));
  EXPECT_LE(longest, 1u << 20);
  EXPECT_GT(at, off_t{kValues * sizeof(float)});
  EXPECT_EQ(RunPython(kReadLarge, folder / "x.npz"),
            "('large.npy', 4294971424, 63497781)\n0000803e00000080\n");
}

class Exports : public testing::TestWithParam<Writer> {};

TEST_P(Exports, EqualContentsGiveEqualBytes) {
  const auto first = Written(GetParam());
  DL_ASSERT_OK(first);
  setenv("TZ", "Asia/Tokyo", 1);
  EXPECT_EQ(*first, *Written(GetParam()));
  unsetenv("TZ");
}

// A full disk may refuse any of the pieces.
TEST_P(Exports, ErrorOfSinkEndsExport) {
  int pieces = 0;
  const auto count = [&](std::string_view) {
    ++pieces;
    return absl::OkStatus();
  };
  DL_ASSERT_OK(GetParam()(File(), count));
  for (int broken = 1; broken <= pieces; ++broken) {
    int seen = 0;
    const Status status = GetParam()(File(), [&](std::string_view) -> Status {
      if (++seen < broken) return absl::OkStatus();
      return SystemError(ENOSPC, "write the file", "x");
    });
    EXPECT_EQ(SystemErrorNumber(status), ENOSPC) << broken << ": " << status;
    EXPECT_EQ(seen, broken) << "it went on";
  }
}

INSTANTIATE_TEST_SUITE_P(Both, Exports, testing::Values(&WriteSafetensors, &WriteNpz),
                         [](const auto& info) {
                           return info.param == &WriteNpz ? "npz" : "safetensors";
                         });

}  // namespace
}  // namespace dl::inference
