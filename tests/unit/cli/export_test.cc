#include <cstring>
#include <filesystem>

#include "base/files.h"
#include "base/json.h"
#include "base/process.h"
#include "cli/export/tensors.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl::cli {
namespace {

const std::vector<float> kWeights = {1, 2, 3, -4, 5.5f, 1e-40f};
const std::vector<float> kBias = {0.25f, -0.0f};

TensorFile File() {
  return {.tensors = {{"conv1.weight", {2, 3}, kWeights}, {"conv1.bias", {2}, kBias}},
          .metadata = {{"checkpoint", "lenet-1@7"}}};
}

TEST(Safetensors, HeaderThenValues) {
  auto bytes = Safetensors(File());
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

// Python's own zip reader checks every CRC; the .npy headers are read as their documentation says.
constexpr char kReadNpz[] = R"py(
import ast, json, struct, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
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
  auto bytes = Npz(File());
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
  DL_ASSERT_OK(AtomicWriteFile(folder / "x.npz", *Npz(File())));
  const std::string said = RunPython(kReadWithNumpy, folder / "x.npz");
  if (said.empty() || said.starts_with("no numpy")) GTEST_SKIP() << "needs python3-numpy";
  EXPECT_EQ(said, "read\n");
}

TEST(Npz, EqualContentsGiveEqualBytes) {
  EXPECT_EQ(*Npz(File()), *Npz(File()));
  EXPECT_EQ(*Safetensors(File()), *Safetensors(File()));
}

}  // namespace
}  // namespace dl::cli
