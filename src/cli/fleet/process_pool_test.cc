#include "cli/fleet/process_pool.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "kernel/files/temporary_folder.h"
#include "kernel/files/whole_file.h"

namespace jettison {
namespace {

using ::testing::HasSubstr;

std::vector<std::string> ResultsOf(std::size_t count, std::size_t jobs,
                                   const std::function<std::string(std::size_t)>& work) {
  std::vector<std::string> results;
  const bool done =
      DoInProcesses(count, jobs, work, [&](std::size_t piece, const PieceResult& result) {
        EXPECT_EQ(piece, results.size());
        results.push_back(result.death.empty() ? result.text : result.death);
        return true;
      });
  EXPECT_TRUE(done);
  return results;
}

TEST(ProcessPool, ResultsComeInTheOrderOfThePiecesWhateverTheJobs) {
  const auto work = [](std::size_t piece) {
    if (piece % 5 == 0) ::usleep(3000);
    return fmt::format("{}:{}", piece, std::string(piece * 1000, 'x'));
  };
  const auto alone = ResultsOf(40, 1, work);
  ASSERT_EQ(alone.size(), 40U);
  EXPECT_EQ(alone[2].size(), 2002U);
  EXPECT_EQ(ResultsOf(40, 3, work), alone);
  EXPECT_EQ(ResultsOf(40, 100, work), alone);
}

TEST(ProcessPool, AProcessThatDiesTakesNoOtherPieceWithIt) {
  const auto results = ResultsOf(10, 2, [](std::size_t piece) -> std::string {
    if (piece == 3) ::raise(SIGKILL);
    if (piece == 6) ::_exit(7);
    if (piece == 7) throw std::bad_alloc();
    if (piece == 8) throw 8;
    return "done";
  });
  ASSERT_EQ(results.size(), 10U);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (i == 3) {
      EXPECT_THAT(results[i], HasSubstr("ended by signal 9"));
    } else if (i == 6) {
      EXPECT_THAT(results[i], HasSubstr("ended with status 7"));
    } else if (i >= 7 && i <= 8) {
      EXPECT_THAT(results[i], HasSubstr("ended with status 1"));
    } else {
      EXPECT_EQ(results[i], "done") << i;
    }
  }
}

// The parent's objects are the child's, too; only the parent may end them.
TEST(ProcessPool, AnExceptionInAProcessEndsNothingOfTheParents) {
  const kernel::TemporaryFolder folder;
  const std::string path = folder.path() + "/part";
  {
    WholeFile file(path);
    EXPECT_TRUE(file.Add("begin "));
    EXPECT_TRUE(DoInProcesses(
        2, 1,
        [](std::size_t piece) -> std::string {
          return piece == 0 ? throw std::bad_alloc() : "end";
        },
        [&](std::size_t, const PieceResult& result) { return file.Add(result.text); }));
    EXPECT_TRUE(file.PutInPlace());
  }
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), "begin end");
}

TEST(ProcessPool, EndsWhereItsResultsAreNotWanted) {
  int taken = 0;
  EXPECT_FALSE(DoInProcesses(
      100, 2, [](std::size_t) { return std::string("x"); },
      [&](std::size_t, const PieceResult&) { return ++taken < 3; }));
  EXPECT_EQ(taken, 3);
}

TEST(ProcessPool, NothingIsDoneAtOnceAndAProcessorIsAlwaysThere) {
  EXPECT_TRUE(ResultsOf(0, 4, [](std::size_t) { return std::string(); }).empty());
  EXPECT_GE(ProcessorsAvailable(), 1U);
}

}  // namespace
}  // namespace jettison
