// Python reads an exported checkpoint of a real job without the product's code. Its tensors, hashed
// as docs/formats.md specifies, have the state_sha256 that the job reported.
#include <filesystem>
#include <set>

#include "base/files.h"
#include "base/process.h"
#include "gtest/gtest.h"
#include "rpc/client.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"
#include "tests/support/status_matchers.h"

namespace dl::test {
namespace {

constexpr char kPython[] = "/usr/bin/python3";

// Arguments: safetensors file, npz file, output of `inspect --json`.
constexpr char kProgram[] = R"py(
import ast, hashlib, json, struct, sys, zipfile

def safetensors(path):
    data = open(path, "rb").read()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    said = header.pop("__metadata__")
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        assert entry["dtype"] == "F32"
        tensors[name] = (entry["shape"], data[8 + size + begin:8 + size + end])
    return tensors, said

def npy(data):  # NEP 1: magic, version, length of the header, a Python literal, the values
    assert data[:8] == b"\x93NUMPY\x01\x00"
    size = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:10 + size].decode())
    assert not header["fortran_order"]
    return header, data[10 + size:]

def npz(path):
    tensors, said = {}, None
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        for entry in archive.namelist():
            header, values = npy(archive.read(entry))
            name = entry[:-len(".npy")]
            if name == "__metadata__":
                said = json.loads(values)
            else:
                assert header["descr"] == "<f4"
                tensors[name] = (list(header["shape"]), values)
    return tensors, said

kinds = {"parameter": 1, "updater": 2, "mean": 3, "variance": 4}

def part_sha256(key, part, averaged, tensors):
    header, values = b"paravane part 1\n" + struct.pack("<Q", len(part["segments"])), b""
    # The key stands in front of names that other parts have too.
    prefix = key + "/" if "-" in key or averaged and key == "model" else ""
    for segment in part["segments"]:
        shape, bytes_of = tensors.pop(prefix + segment["name"])
        assert shape == segment["shape"]
        name = segment["name"].encode()
        header += struct.pack("<I", len(name)) + name
        header += struct.pack("<II", kinds[segment["kind"]], len(shape))
        header += struct.pack(f"<{len(shape)}Q", *shape)
        values += bytes_of
    pieces = [values[at:at + 2**20] for at in range(0, len(values), 2**20)]
    return hashlib.sha256(header + b"".join(hashlib.sha256(p).digest() for p in pieces)).hexdigest()

def state_sha256(tensors, inspected):
    text = ""
    for key, part in sorted(inspected["parts"].items()):
        name = part_sha256(key, part, "ema" in inspected["parts"], tensors)
        assert name == part["sha256"], key
        text += f"{key} {name}\n"
    assert not tensors, list(tensors)
    return hashlib.sha256(text.encode()).hexdigest()

inspected = json.load(open(sys.argv[3]))
for read, path in ((safetensors, sys.argv[1]), (npz, sys.argv[2])):
    tensors, said = read(path)
    assert said["state_sha256"] == inspected["state_sha256"] and said["checkpoint"] == "exported-1@14", said
    print(state_sha256(tensors, inspected))
)py";

std::string RunPython(const std::vector<std::string>& arguments, const std::string& error_file) {
  SpawnOptions options{.argv = {kPython, "-c", kProgram},
                       .out = ChildOutput::Pipe(),
                       .err = ChildOutput::File(error_file)};
  options.argv.insert(options.argv.end(), arguments.begin(), arguments.end());
  auto child = Spawner::Real().Start(options);
  if (!child.ok()) return "python was not started";
  auto text = (*child)->ReadAll(std::chrono::minutes(2), 1 << 20);
  auto end = (*child)->Wait(std::chrono::minutes(2));
  if (text.ok() && end.ok() && *end == ExitStatus{}) return *text;
  return ReadFile(error_file, 1 << 20).value_or("python failed");
}

class ExportedStateTest : public testing::TestWithParam<SampleJob> {};

TEST_P(ExportedStateTest, PythonFindsTheSameHash) {
  if (!std::filesystem::exists(kPython)) GTEST_SKIP() << "needs " << kPython;
  const TempFolder folder;
  job::JobSpec spec = MakeSample(folder, {.job = GetParam()});
  spec.name = "exported";
  const std::string data = folder / "data";
  const std::string job = WriteJob(folder, "job", spec);
  const Finished run = DlSubmit({"run", "--master", "local[2]", "--data-dir", data, "--json", job});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  const std::string expected = run.result().value("state_sha256", "");
  ASSERT_EQ(expected.size(), 64u);
  ExpectAnotherSeedDiffers(job, expected);
  for (const std::string format : {"safetensors", "npz"}) {
    const Finished exported =
        DlSubmit({"export", "--data-dir", data, "--format", format, "-o", folder / ("x." + format),
                  "--updater-state", "exported-1@14"});
    ASSERT_EQ(exported.exit_code, 0) << exported.errors;
  }
  const Finished inspected = DlSubmit({"inspect", "--data-dir", data, "--json", "exported-1@14"});
  ASSERT_EQ(inspected.exit_code, 0) << inspected.errors;
  ASSERT_TRUE(AtomicWriteFile(folder / "inspected", inspected.text).ok());
  EXPECT_EQ(RunPython({folder / "x.safetensors", folder / "x.npz", folder / "inspected"},
                      folder / "python-errors"),
            expected + "\n" + expected + "\n");
}

INSTANTIATE_TEST_SUITE_P(Samples, ExportedStateTest,
                         testing::Values(SampleJob::kMlpAverage, SampleJob::kCnnKeep,
                                         SampleJob::kCnnOuterKeep, SampleJob::kCnnEma),
                         [](const auto& info) { return ToString(info.param); });

// A job that keeps only its newest checkpoint and is stopped when it has the checkpoint of its
// first epoch.
class CheckpointReaders : public testing::Test {
 protected:
  CheckpointReaders() {
    job::JobSpec spec = MakeSample(folder_, {.epochs = 3});
    spec.training.checkpoint.keep_last = 1;
    spec.training.checkpoint.keep_best = 0;
    spec.training.verify_fraction = 0;  // so the thirtieth unit belongs to the second epoch
    const std::string job_file = WriteJob(folder_, "job", spec);
    cluster_.StartMaster();
    {
      const ScopedFailPoints armed("executor.compute=stop@30");
      cluster_.StartExecutor();
    }
    id_ = cluster_.Submit(job_file);
    cluster_.WaitForStop(0);
    // The epoch has ended, but its checkpoint may not be written yet.
    cluster_.WaitUntil(id_, [&](const Json&) { return !Listed().empty(); });
  }
  std::set<int64_t> AtItsEnd() {
    cluster_.Continue(0);
    EXPECT_EQ(cluster_.Wait(id_).value("state", ""), "SUCCEEDED");
    return Listed();
  }
  std::set<int64_t> Listed() {
    std::set<int64_t> rounds;
    for (const Json& item : cluster_.Ask("checkpoints", {id_}).lines)
      rounds.insert(item.value("round", int64_t{-1}));
    return rounds;
  }

  const TempFolder folder_;
  StandingCluster cluster_{folder_};
  std::string id_;
};

TEST_F(CheckpointReaders, CheckpointBeingReadOutlivesRetention) {
  ASSERT_EQ(Listed(), std::set<int64_t>{7});
  const auto client = rpc::Client::Connect(
      {.endpoint = {"127.0.0.1", cluster_.port()}, .credentials = cluster_.credentials()});
  DL_ASSERT_OK(client);
  DL_EXPECT_OK((*client)->FetchCheckpoint({.sha256 = id_ + "@7/model", .length = 16, .reader = 1},
                                          std::chrono::minutes(1)));
  EXPECT_EQ(AtItsEnd(), (std::set<int64_t>{7, 21}));
}

// The reader ends with the master, and the job writes no checkpoint any more.
TEST_F(CheckpointReaders, CheckpointIsDeletedWhenMasterStartsAgain) {
  const auto client = rpc::Client::Connect(
      {.endpoint = {"127.0.0.1", cluster_.port()}, .credentials = cluster_.credentials()});
  DL_ASSERT_OK(client);
  DL_EXPECT_OK((*client)->FetchCheckpoint({.sha256 = id_ + "@7/model", .length = 16, .reader = 1},
                                          std::chrono::minutes(1)));
  ASSERT_EQ(AtItsEnd(), (std::set<int64_t>{7, 21}));
  cluster_.KillMaster();
  cluster_.StartMaster();
  cluster_.WaitUntil(id_, [&](const Json&) { return Listed() == std::set<int64_t>{21}; });
}

TEST_F(CheckpointReaders, ExportedCheckpointIsDeletedByRetention) {
  ASSERT_EQ(Listed(), std::set<int64_t>{7});
  const Finished exported = cluster_.Ask("export", {id_ + "@7", "-o", folder_ / "x.npz"});
  EXPECT_EQ(exported.exit_code, 0) << exported.errors;
  EXPECT_EQ(AtItsEnd(), std::set<int64_t>{21});
}

TEST_F(CheckpointReaders, UnreadJobIsDeletedByRetention) {
  EXPECT_EQ(AtItsEnd(), std::set<int64_t>{21});
}

}  // namespace
}  // namespace dl::test
