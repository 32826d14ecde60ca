#include <string>
#include <vector>

#include "agent/passes/node_test_bed.h"

namespace jettison {
namespace {

class NodeContendersTest : public NodeTestBed {};

TEST_F(NodeContendersTest, OnlyWhoeverMayGoFirstIsReadBeforeTheKill) {
  Start();
  figures_.SetAvailable(99);
  Pass(std::chrono::seconds(3));
  figures_.memory_reads = figures_.charge_reads = figures_.figure_reads = 0;
  Crossed();
  EXPECT_THAT(runtime_.TakeCommands(), testing::ElementsAre("stop hog/c 1s"));
  EXPECT_EQ(figures_.charge_reads, 1);
  EXPECT_EQ(figures_.figure_reads, 2) << "the second pod after the kill";
  EXPECT_EQ(figures_.memory_reads, 0);
}

TEST_F(NodeContendersTest, TheVictimHasTheProcessorBeforeTheOthersAreRead) {
  Start();
  figures_.SetAvailable(99);
  Pass(std::chrono::seconds(3));
  figures_.figure_reads = 0;
  EXPECT_THAT(figures_at_way_, testing::IsEmpty());
  Crossed();
  EXPECT_THAT(figures_at_way_, testing::ElementsAre(1)) << "only the victim had been read";
  EXPECT_EQ(figures_.figure_reads, 2);
}

TEST_F(NodeContendersTest, PodsAreReadAheadAndTheSearchIsRehearsedOnlyWhereAThresholdIsNear) {
  Start();
  Pass(std::chrono::seconds(3));
  figures_.charge_reads = figures_.figure_reads = 0;
  Pass(std::chrono::seconds(3));
  EXPECT_EQ(figures_.charge_reads + figures_.figure_reads, 0);
  figures_.SetAvailable(101);
  Crossed();
  node_->Advance();
  EXPECT_GE(figures_.charge_reads, 2);
  EXPECT_EQ(figures_.figure_reads, 1) << "the file of the one that would go";
}

// On a slow machine the last ten milliseconds are not enough to read many pods.
TEST_F(NodeContendersTest, WhileMemoryGrowsTowardsAThresholdPodsAreReadAheadBeforeALookIsDueSoon) {
  look_ahead_ = true;
  Start();
  figures_.SetAvailable(150);
  FullPass();
  clock_.Advance(std::chrono::milliseconds(100));
  figures_.SetAvailable(125);  // 250 MiB/s: 100 ms are left
  figures_.charge_reads = 0;
  node_->Advance();
  EXPECT_GT(*node_->NextDeadline(), clock_.Now() + std::chrono::milliseconds(20));
  const int reads = figures_.charge_reads;
  EXPECT_GE(reads, 2);

  clock_.Advance(std::chrono::milliseconds(20));
  node_->Advance();
  EXPECT_EQ(figures_.charge_reads, reads) << "all have just been read";
}

TEST_F(NodeContendersTest, WhereTheKnownPodsHoldTooLittleAllAreReadBeforeAnybodyWaits) {
  figures_.memory = {{"hog", 5 * kMi}, {"idle", kMi}};
  Start();
  figures_.SetAvailable(0);
  Pass(std::chrono::seconds(3));
  figures_.figure_reads = 0;
  Crossed();
  EXPECT_THAT(runtime_.TakeCommands(), testing::IsEmpty());
  ASSERT_TRUE(node_->MakeSnapshot().last_report->pause);
  EXPECT_EQ(node_->MakeSnapshot().last_report->pause->reason, PaceReason::kNotTheirs);
  EXPECT_GE(figures_.figure_reads, 3) << "the search for the first one, and then both pods";
}

TEST_F(NodeContendersTest, AfterAnEvictionAllAreReadBecauseTheirSumDecides) {
  Start();
  runtime_.IgnoreStop("c");
  figures_.SetAvailable(99);
  Pass(std::chrono::seconds(3));
  Crossed();
  figures_.memory_reads = 0;
  clock_.Advance(std::chrono::milliseconds(100));
  figures_.SetAvailable(98);
  Crossed();
  EXPECT_GE(figures_.memory_reads, 1);
}

}  // namespace
}  // namespace jettison
