// The space of deleted jobs is given back, also if the deletion was interrupted.
#include "master/core/record_keys.h"
#include "master/gateway/actions.h"
#include "master/gateway/retention.h"
#include "tests/unit/master/stored_blocks.h"

namespace dl::master {
namespace {

using Deletions = StoredBlocks;

TEST_F(Deletions, CollectUnnamedCompletesADeletion) {
  Uploads uploads({.meta = &meta_, .blobs = blobs_.get()});
  LogLines log;
  Actions actions({.meta = &meta_, .uploads = &uploads, .log = &log});
  // The caller gave up before the deletion was durable.
  Put(keys::TrainManifest("gone-1"), Manifest({"a"}));
  Put(keys::Deleted("gone-1"), "");
  actions.CollectUnnamed(Expiry(kUploadsKept, Clock::Real().Now()));
  EXPECT_FALSE(IsStored("a"));
  EXPECT_FALSE(Has(keys::Deleted("gone-1")) || Has(keys::TrainManifest("gone-1")));
}

}  // namespace
}  // namespace dl::master
