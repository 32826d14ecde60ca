#include "cli/fleet/work_threads.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace jettison {
namespace {

std::vector<std::string> ResultsOf(std::size_t count, std::size_t jobs) {
  std::vector<std::string> results;
  const auto work = [](std::size_t piece) {
    if (piece % 5 == 0) std::this_thread::yield();
    return FleetNode{.node = std::to_string(piece), .from = {}, .to = {}};
  };
  EXPECT_TRUE(DoOnThreads(count, jobs, work, [&](std::size_t piece, const FleetNode& node) {
    EXPECT_EQ(piece, results.size());
    results.push_back(node.node);
    return true;
  }));
  return results;
}

TEST(WorkThreads, ResultsComeInTheOrderOfThePiecesWhateverTheJobs) {
  const auto alone = ResultsOf(40, 1);
  ASSERT_EQ(alone.size(), 40U);
  EXPECT_EQ(alone[39], "39");
  EXPECT_EQ(ResultsOf(40, 3), alone);
  EXPECT_EQ(ResultsOf(40, 100), alone);
}

TEST(WorkThreads, EndWhereTheirResultsAreNotWanted) {
  int taken = 0;
  EXPECT_FALSE(DoOnThreads(
      100, 2, [](std::size_t) { return FleetNode{.from = {}, .to = {}}; },
      [&](std::size_t, const FleetNode&) { return ++taken < 3; }));
  EXPECT_EQ(taken, 3);
}

TEST(WorkThreads, NothingIsDoneAtOnceAndAProcessorIsAlwaysThere) {
  EXPECT_TRUE(ResultsOf(0, 4).empty());
  EXPECT_GE(ProcessorsAvailable(), 1U);
}

}  // namespace
}  // namespace jettison
