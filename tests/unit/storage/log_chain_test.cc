#include "storage/log_chain.h"

#include "gtest/gtest.h"
#include "rocksdb/write_batch.h"

namespace dl::storage {
namespace {

using Option = rocksdb::WalFilter::WalProcessingOption;

Option See(rocksdb::WalFilter& filter, uint64_t index) {
  rocksdb::WriteBatch batch;
  EXPECT_TRUE(batch.Put("key", "value").ok());
  EXPECT_TRUE(
      batch.Put(rocksdb::Slice(kIndexKey.data(), kIndexKey.size()), EncodeIndex(index)).ok());
  bool changed = false;
  return filter.LogRecordFound(1, "000001.log", batch, nullptr, &changed);
}

TEST(LogSurvey, FindsAGapAndWhereTheStoreEnds) {
  LogSurvey whole;
  for (uint64_t index : {4, 5, 6}) See(whole, index);
  EXPECT_EQ(whole.Gap(3), "");
  EXPECT_EQ(whole.Gap(5), "");
  EXPECT_EQ(whole.End(3), 6u);
  EXPECT_EQ(whole.End(9), 9u);
  EXPECT_NE(whole.Gap(2), "");  // batch 3 is missing
  EXPECT_EQ(whole.End(2), 2u);

  LogSurvey broken;
  for (uint64_t index : {4, 5, 7, 8}) See(broken, index);
  EXPECT_NE(broken.Gap(3).find("batch 7 follows batch 5"), std::string::npos);
  EXPECT_EQ(broken.End(3), 5u);
  EXPECT_EQ(LogSurvey().End(2), 2u);
}

TEST(LogCut, StopsTheReplayAtTheGap) {
  LogCut cut(3);
  EXPECT_EQ(See(cut, 3), Option::kIgnoreCurrentRecord);  // it is in the tables
  EXPECT_EQ(See(cut, 4), Option::kContinueProcessing);
  EXPECT_EQ(See(cut, 6), Option::kStopReplay);
}

TEST(LogIndex, RoundTripsInByteOrder) {
  EXPECT_EQ(DecodeIndex(EncodeIndex(0x0102030405060708)), 0x0102030405060708u);
  EXPECT_LT(EncodeIndex(255), EncodeIndex(256));
  EXPECT_EQ(DecodeIndex("short"), std::nullopt);
}

}  // namespace
}  // namespace dl::storage
