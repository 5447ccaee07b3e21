#include "dataset/batch_reader.h"

#include "dataset/block_cutting.h"
#include "dataset/prefetching_reader.h"
#include "tests/unit/dataset/dataset_fixtures.h"

namespace dl::dataset {
namespace {

// A dataset in memory, in blocks of a few examples.
struct Stored {
  MemoryBlocks blocks;
  std::shared_ptr<DecodedBlockCache> cache;
  std::shared_ptr<const Dataset> dataset;

  explicit Stored(const ExampleTable& table, int64_t cache_bytes = 1 << 20,
                  NormalizerKind normalizer = NormalizerKind::kNone)
      : cache(std::make_shared<DecodedBlockCache>(blocks, cache_bytes)) {
    auto manifest = CutBlocks(
        table, {.normalizer = normalizer, .block_bytes = 5 * table.schema.RecordBytes()}, blocks);
    EXPECT_TRUE(manifest.ok()) << manifest.status();
    auto created = Dataset::Create(*manifest, cache);
    EXPECT_TRUE(created.ok()) << created.status();
    dataset = *created;
  }
  UnitRead Unit(PositionRange range, int64_t batch_size, EpochOrderKey key = {.seed = 1}) const {
    return {.dataset = dataset,
            .order = *dataset->Order(key),
            .range = range,
            .batch_size = batch_size};
  }
};

struct Epoch {
  int64_t examples = 0;
  uint64_t hash_sum = 0;
  int64_t steps = 0;
};

// Reads all units of an epoch as executors do, without training.
Epoch ReadEpoch(const Stored& stored, const PlanInput& plan, Shuffle shuffle) {
  const EpochOrderKey key = {.shuffle = shuffle, .seed = 4, .epoch = 2, .workers = plan.workers};
  Epoch epoch;
  BatchBuffer buffer;
  for (int64_t index = 0; index < RoundsPerEpoch(plan); ++index) {
    for (const UnitPlan& unit : PlanRound(plan, index).workers) {
      if (unit.steps == 0) continue;
      auto reader = BatchReader::Create(stored.Unit(unit.range, plan.batch_size, key));
      EXPECT_TRUE(reader.ok()) << reader.status();
      int64_t steps = 0;
      while (*(*reader)->Next(buffer)) {
        epoch.examples += buffer.batch().examples;
        epoch.hash_sum += buffer.batch().example_hash_sum;
        ++steps;
      }
      EXPECT_EQ(steps, unit.steps);
      epoch.steps += steps;
    }
  }
  return epoch;
}

// Returns whether count and hashes show that the epoch read every example once.
bool IsExact(const Epoch& epoch, const Stored& stored) {
  const Manifest& manifest = stored.dataset->manifest();
  return epoch.examples == manifest.examples && epoch.hash_sum == manifest.example_hash_sum;
}

TEST(ExactnessTest, EveryExampleOnceForManySizes) {
  for (int64_t examples : {1, 7, 64, 130, 1000}) {
    const Stored stored(ImageTable(examples));
    for (int64_t workers : {1, 3, 4}) {
      for (int64_t batch : {1, 16, 33}) {
        for (int64_t frequency : {1, 5}) {
          for (Shuffle shuffle : {Shuffle::kGlobal, Shuffle::kPartition}) {
            const Epoch epoch = ReadEpoch(stored, {examples, workers, batch, frequency}, shuffle);
            EXPECT_TRUE(IsExact(epoch, stored)) << " examples " << examples << " M=" << workers
                                                << " b=" << batch << " H=" << frequency;
          }
        }
      }
    }
  }
}

TEST(ExactnessTest, PlantedDropAndRepeatIsCaught) {
  const Stored stored(ImageTable(100));
  const Epoch epoch = ReadEpoch(stored, {100, 3, 16, 5}, Shuffle::kGlobal);
  ASSERT_TRUE(IsExact(epoch, stored));
  for (uint64_t dropped = 0; dropped < 100; ++dropped) {
    Epoch wrong = epoch;
    wrong.hash_sum += ExampleHash((dropped + 1) % 100) - ExampleHash(dropped);
    EXPECT_FALSE(IsExact(wrong, stored));
  }

  // The same with the reader: one unit begins one position late, another ends one position late.
  Epoch shifted;
  BatchBuffer buffer;
  for (const PositionRange& range :
       {PositionRange{0, 49}, PositionRange{50, 50}, PositionRange{98, 1}}) {
    auto reader = *BatchReader::Create(stored.Unit(range, 16));
    while (*reader->Next(buffer)) {
      shifted.examples += buffer.batch().examples;
      shifted.hash_sum += buffer.batch().example_hash_sum;
    }
  }
  EXPECT_EQ(shifted.examples, 100);
  EXPECT_FALSE(IsExact(shifted, stored));
}

TEST(BatchReaderTest, StoredOrderHasTheRightRows) {
  const ExampleTable table = TargetTable(12);
  MemoryBlocks blocks;
  auto manifest = CutBlocks(table, {.order = CutOrder::kSource, .block_bytes = 100}, blocks);
  ASSERT_TRUE(manifest.ok());
  auto dataset = *Dataset::Create(*manifest, std::make_shared<DecodedBlockCache>(blocks));
  auto order = *dataset->Order({.shuffle = Shuffle::kNone});
  auto reader = *BatchReader::Create({dataset, order, {2, 9}, 4});
  BatchBuffer buffer;
  int64_t id = 2;
  for (int64_t size : {4, 4, 1}) {
    ASSERT_TRUE(*reader->Next(buffer));
    const Minibatch& batch = buffer.batch();
    ASSERT_EQ(batch.examples, size);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(batch.features.data()) % 64, 0u);
    ASSERT_EQ(batch.features.size(), static_cast<size_t>(3 * size));
    ASSERT_EQ(batch.targets.size(), static_cast<size_t>(2 * size));
    EXPECT_TRUE(batch.classes.empty());
    for (int64_t row = 0; row < size; ++row, ++id) {
      EXPECT_EQ(batch.features[3 * row + 1], table.f32[3 * id + 1]);
      EXPECT_EQ(batch.targets[2 * row + 1], static_cast<float>(-id));
    }
  }
  EXPECT_FALSE(*reader->Next(buffer));
  EXPECT_FALSE(*reader->Next(buffer));
}

TEST(BatchReaderTest, BuffersAreReused) {
  const Stored stored(ImageTable(100));
  auto reader = *BatchReader::Create(stored.Unit({0, 100}, 16));
  BatchBuffer buffer;
  ASSERT_TRUE(*reader->Next(buffer));
  const float* features = buffer.batch().features.data();
  const int32_t* classes = buffer.batch().classes.data();
  while (*reader->Next(buffer)) {
    EXPECT_EQ(buffer.batch().features.data(), features);
    EXPECT_EQ(buffer.batch().classes.data(), classes);
  }
}

TEST(BatchReaderTest, RefusesRangesOutsideTheEpoch) {
  const Stored stored(ImageTable(100));
  EXPECT_FALSE(BatchReader::Create(stored.Unit({-1, 2}, 1)).ok());
  EXPECT_FALSE(BatchReader::Create(stored.Unit({99, 2}, 1)).ok());
  EXPECT_FALSE(BatchReader::Create(stored.Unit({INT64_MAX, 2}, 1)).ok());
  EXPECT_FALSE(BatchReader::Create(stored.Unit({0, 1}, 0)).ok());
  const Stored other(ImageTable(50));
  UnitRead mixed = stored.Unit({0, 1}, 1);
  mixed.order = *other.dataset->Order({});
  EXPECT_FALSE(BatchReader::Create(mixed).ok());
}

TEST(BatchReaderTest, DamagedBlockIsNamedAndNeverTrainedOn) {
  BatchBuffer buffer;
  for (size_t place : {0, 1, 2}) {
    Stored stored(ImageTable(20));
    const BlockInfo& info = stored.dataset->manifest().blocks[1];
    const size_t bit = place * (8 * info.bytes - 1) / 2;
    stored.blocks.FlipBit(info.sha256, bit);
    auto reader = *BatchReader::Create(stored.Unit({0, 20}, 20));
    auto more = reader->Next(buffer);
    ASSERT_FALSE(more.ok());
    EXPECT_EQ(more.status().code(), absl::StatusCode::kDataLoss);
    EXPECT_NE(more.status().message().find(info.sha256), absl::string_view::npos);
    stored.blocks.FlipBit(info.sha256, bit);
    EXPECT_TRUE(*reader->Next(buffer)) << "the call may be repeated";
    EXPECT_EQ(buffer.batch().examples, 20);
  }
}

TEST(BatchReaderTest, AnotherBlockUnderTheNameIsRefused) {
  // The other block is intact and of the same schema and size, so only its SHA-256 differs.
  Stored stored(ImageTable(20));
  const auto& blocks = stored.dataset->manifest().blocks;
  const auto other = *stored.blocks.Get(blocks[2].sha256);
  ASSERT_TRUE(stored.blocks.Put(blocks[1].sha256, *other).ok());
  auto reader = *BatchReader::Create(stored.Unit({0, 20}, 20));
  BatchBuffer buffer;
  EXPECT_EQ(reader->Next(buffer).status().code(), absl::StatusCode::kDataLoss);
}

TEST(BlockCacheTest, BoundedAndCounted) {
  Stored stored(ImageTable(100), 3 * 200);
  BatchBuffer buffer;
  auto reader = *BatchReader::Create(stored.Unit({0, 100}, 10));
  while (*reader->Next(buffer)) {
  }
  EXPECT_EQ(stored.blocks.gets, 20) << "a window's blocks are held while it is read";
  EXPECT_LE(stored.cache->stats().bytes_held, 600);
  EXPECT_EQ(stored.cache->stats().misses, 20);

  Stored roomy(ImageTable(100));
  for (int i = 0; i < 3; ++i) {
    auto again = *BatchReader::Create(roomy.Unit({0, 100}, 10));
    while (*again->Next(buffer)) {
    }
  }
  EXPECT_EQ(roomy.blocks.gets, 20);
  EXPECT_EQ(roomy.cache->stats().hits, 40);
}

TEST(BlockCacheTest, ManifestThatDisagreesIsRefused) {
  Stored stored(ImageTable(20));
  Manifest lying = stored.dataset->manifest();
  BlockInfo info = lying.blocks[0];
  ASSERT_TRUE(stored.cache->Get(info, lying.schema).ok());
  lying.schema.SetClasses(1, {});
  EXPECT_FALSE(stored.cache->Get(info, lying.schema).ok()) << "a cached block is checked anew";
  info.examples = 4;
  EXPECT_FALSE(stored.cache->Get(info, stored.dataset->manifest().schema).ok());
}

// Everything that a unit returns, in order.
struct Read {
  std::vector<float> features;
  std::vector<int32_t> classes;
  std::vector<int64_t> sizes;
  uint64_t hash_sum = 0;
  bool operator==(const Read&) const = default;
};

Read ReadOpen(PrefetchingReader& reader) {
  Read out;
  while (true) {
    auto batch = reader.Next();
    EXPECT_TRUE(batch.ok()) << batch.status();
    if (!batch.ok() || *batch == nullptr) break;
    out.sizes.push_back((*batch)->examples);
    out.features.insert(out.features.end(), (*batch)->features.begin(), (*batch)->features.end());
    out.classes.insert(out.classes.end(), (*batch)->classes.begin(), (*batch)->classes.end());
  }
  out.hash_sum = reader.example_hash_sum();
  return out;
}

TEST(PrefetchingReaderTest, SameBatchesAsSynchronous) {
  const Stored stored(ImageTable(333), 1 << 20, NormalizerKind::kStandardize);
  auto synchronous = *PrefetchingReader::Create(0);
  for (int64_t ahead : {1, 2, 5, 64}) {
    auto prefetching = *PrefetchingReader::Create(ahead);
    for (int64_t batch_size : {1, 16, 400}) {
      for (const PositionRange& range : {PositionRange{0, 333}, {17, 100}, {332, 1}, {5, 0}}) {
        const UnitRead unit = stored.Unit(range, batch_size);
        ASSERT_TRUE(synchronous->Open(unit).ok());
        ASSERT_TRUE(prefetching->Open(unit).ok());
        const Read expected = ReadOpen(*synchronous);
        EXPECT_EQ(ReadOpen(*prefetching), expected);
        EXPECT_EQ(static_cast<int64_t>(expected.classes.size()), range.examples);
        EXPECT_EQ(prefetching->examples(), range.examples);
      }
    }
  }
}

TEST(PrefetchingReaderTest, RightAndWrongHints) {
  const Stored stored(ImageTable(300));
  auto plain = *PrefetchingReader::Create(0);
  auto hinted = *PrefetchingReader::Create(2);
  for (int64_t i = 0; i < 200; ++i) {
    const UnitRead unit = stored.Unit({i, 40}, 16);
    ASSERT_TRUE(plain->Open(unit).ok());
    ASSERT_TRUE(hinted->Open(unit).ok());
    if (i % 5 == 0) hinted->Hint(stored.Unit({i + 1, 40}, 16));  // right
    if (i % 5 == 1) hinted->Hint(stored.Unit({i + 2, 40}, 16));  // wrong range
    if (i % 5 == 2) hinted->Hint(stored.Unit({i + 1, 40}, 8));   // wrong batch size
    if (i % 5 == 3) {                                            // replaced, and the unit abandoned
      hinted->Hint(stored.Unit({i + 5, 40}, 16));
      ASSERT_TRUE(hinted->Next().ok());
      hinted->Hint(stored.Unit({i + 1, 40}, 16));
      continue;
    }
    EXPECT_EQ(ReadOpen(*hinted), ReadOpen(*plain)) << i;
    if (i % 3 == 0) hinted->Hint(stored.Unit({i + 1, 40}, 16));
  }
}

TEST(PrefetchingReaderTest, HintIsReadWhileTheCurrentUnitIsOpen) {
  Stored stored(ImageTable(100));
  auto reader = *PrefetchingReader::Create(2);
  const EpochOrderKey key = {.shuffle = Shuffle::kNone};
  ASSERT_TRUE(reader->Open(stored.Unit({0, 5}, 5, key)).ok());
  ASSERT_NE(*reader->Next(), nullptr);
  EXPECT_EQ(stored.blocks.gets, 1);
  reader->Hint(stored.Unit({95, 5}, 5, key));
  EXPECT_TRUE(stored.blocks.WaitForGets(2));
  ASSERT_EQ(*reader->Next(), nullptr);
}

TEST(PrefetchingReaderTest, ErrorsPassThroughAndStay) {
  Stored stored(ImageTable(40));
  stored.blocks.Remove(stored.dataset->manifest().blocks[3].sha256);
  for (int64_t ahead : {0, 2}) {
    auto reader = *PrefetchingReader::Create(ahead);
    EXPECT_EQ(reader->Next().status().code(), absl::StatusCode::kFailedPrecondition);
    ASSERT_TRUE(reader->Open(stored.Unit({0, 40}, 4, {.shuffle = Shuffle::kNone})).ok());
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(reader->Next().ok());
    EXPECT_EQ(reader->Next().status().code(), absl::StatusCode::kNotFound);
    EXPECT_EQ(reader->Next().status().code(), absl::StatusCode::kNotFound);
    ASSERT_TRUE(reader->Open(stored.Unit({0, 10}, 4, {.shuffle = Shuffle::kNone})).ok());
    EXPECT_EQ(ReadOpen(*reader).classes.size(), 10u);
    UnitRead bad = stored.Unit({39, 2}, 1);
    const Status opened = reader->Open(bad);
    const Status read = reader->Next().status();
    EXPECT_FALSE(read.ok()) << "batches of the unit before";
    EXPECT_NE(read.code(), opened.code()) << "each error is returned by one of the calls";
  }
}

TEST(PrefetchingReaderTest, CancelFromAnotherThread) {
  const Stored stored(ImageTable(300));
  for (int64_t ahead : {0, 3}) {
    auto reader = *PrefetchingReader::Create(ahead);
    ASSERT_TRUE(reader->Open(stored.Unit({0, 300}, 1)).ok());
    ASSERT_TRUE(reader->Next().ok());
    Thread("cancel", [&] { reader->Cancel(); }).Join();
    EXPECT_EQ(reader->Next().status().code(), absl::StatusCode::kCancelled);
    EXPECT_EQ(reader->Next().status().code(), absl::StatusCode::kCancelled);
    ASSERT_TRUE(reader->Open(stored.Unit({0, 300}, 7)).ok());
    EXPECT_EQ(ReadOpen(*reader).classes.size(), 300u);
  }
}

TEST(PrefetchingReaderTest, EndsWithWorkUnderWay) {
  const Stored stored(ImageTable(300));
  for (int i = 0; i < 50; ++i) {
    auto reader = *PrefetchingReader::Create(2);
    ASSERT_TRUE(reader->Open(stored.Unit({0, 300}, 3)).ok());
    reader->Hint(stored.Unit({1, 200}, 3));
    if (i % 2 == 0) {
      ASSERT_TRUE(reader->Next().ok());
    }
  }
}

TEST(PrefetchingReaderTest, ManyReadersShareOneCache) {
  const Stored stored(ImageTable(400), 2000);
  auto plain = *PrefetchingReader::Create(0);
  ASSERT_TRUE(plain->Open(stored.Unit({0, 400}, 16)).ok());
  const Read expected = ReadOpen(*plain);
  std::vector<Read> reads(4);
  {
    std::vector<Thread> threads;
    for (Read& read : reads) {
      threads.emplace_back("reader", [&read, &stored] {
        auto reader = *PrefetchingReader::Create(2);
        ASSERT_TRUE(reader->Open(stored.Unit({0, 400}, 16)).ok());
        read = ReadOpen(*reader);
      });
    }
  }
  for (const Read& read : reads) EXPECT_EQ(read, expected);
}

TEST(PrefetchingReaderTest, RefusesAbsurdDepth) {
  EXPECT_FALSE(PrefetchingReader::Create(-1).ok());
  EXPECT_FALSE(PrefetchingReader::Create(1 << 20).ok());
}

}  // namespace
}  // namespace dl::dataset
