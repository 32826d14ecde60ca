#include "agent/passes/node_test_bed.h"

namespace jettison {
namespace {

using std::chrono::seconds;

class NodeDiskAgeTest : public NodeTestBed {};

TEST_F(NodeDiskAgeTest, ASnapshotTellsWhenAPodsDiskUseWasMeasured) {
  Start();
  EXPECT_EQ(node_->MakeSnapshot().pods.at(0).disk_measured_at, std::nullopt);
  disk_["hog"].total = {.used_bytes = kMi, .inodes_used = 3};
  disk_["hog"].measured_at = clock_.Now() + seconds(9);
  FullPass();
  clock_.Advance(seconds(5));
  const Snapshot snapshot = node_->MakeSnapshot();
  const PodView& hog = snapshot.pods.at(0);
  EXPECT_EQ(hog.uid, "hog");
  EXPECT_EQ(hog.ephemeral_storage->used_bytes, kMi);
  EXPECT_EQ(hog.disk_measured_at, clock_.Now() - seconds(6));
  EXPECT_EQ(snapshot.pods.at(1).disk_measured_at, std::nullopt) << "this pod was not measured";
}

}  // namespace
}  // namespace jettison
