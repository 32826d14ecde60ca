#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/scenarios/agent_bed.h"

namespace jettison {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::SizeIs;

constexpr std::int64_t kMovingMi = std::int64_t{1} << 20;
constexpr std::int64_t kMovingThreshold = 200;  // MiB
// MiB below the threshold at the signal. On a busy machine it is some 100, of which the cache takes
// most from one look to the next; looks a second apart would leave nothing.
constexpr std::int64_t kMovingMost = 180;

// The second reading makes the pages active, at several GiB/s, so they count as used; usage does
// not change then. A file of holes is read at the speed of memory.
constexpr const char* kMove =
    "while cat {0} && cat {0}; do dd if={0} iflag=nocache count=0; done >/dev/null 2>&1";

// The kubelet's message: "available: 102124Ki. ".
std::int64_t AvailableIn(const std::string& line) {
  const std::string before = "available: ";
  const auto at = line.find(before);
  return at == std::string::npos ? 0 : std::stoll(line.substr(at + before.size())) * 1024;
}

class LiveMovingCache : public testing::Test {
 protected:
  void SetUp() override {
    if (!bed_.error().empty()) GTEST_SKIP() << bed_.error();
    bed_.Configure(fmt::format(
        "evictionHard: {{memory.available: {}Mi}}\nevictionPressureTransitionPeriod: 1s\n",
        kMovingThreshold));
    bed_.ConfigureAgent("evictionBackoff: {initial: 1s, max: 1s}\nmonitoringInterval: 1s\n");
  }
  void TearDown() override {
    if (!HasFailure()) return;
    for (const std::string& line : bed_.lines()) ADD_FAILURE() << line;
  }

  AgentBed bed_{1024 * kMovingMi};
};

TEST_F(LiveMovingCache, ALeakBesideItIsEvictedInTimeAndAlone) {
  struct statfs folder {};
  ASSERT_EQ(statfs(bed_.folder().c_str(), &folder), 0);
  if (folder.f_type == TMPFS_MAGIC) GTEST_SKIP() << "files of a tmpfs have no inactive page cache";
  const std::string file = bed_.folder() + "/moving";
  std::ofstream(file).close();
  std::filesystem::resize_file(file, 400 * kMovingMi);
  bed_.Put("quiet.yaml", AgentBed::Manifest("quiet", {"sleep", "1000"}));
  bed_.Put("reader.yaml", AgentBed::Manifest("reader", {"sh", "-c", fmt::format(kMove, file)},
                                             "    resources: {requests: {memory: 500Mi}}\n"));
  bed_.StartAgent({"--stop-pods"});
  ASSERT_TRUE(bed_.WaitForLines(
      {{"Started container main", "default/quiet"}, {"Started container main", "default/reader"}}));
  bed_.Put("leak.yaml", AgentBed::Manifest("leak", {JETTISON_BINARY, "workload", "leak", "--rate",
                                                    "200", "--total", "1000"}));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(bed_.WaitForLine({"pod is evicted successfully"}));
  EXPECT_EQ(bed_.StopAgent(), 0);
  const auto evictions = bed_.LinesWith("pod is evicted successfully");
  EXPECT_THAT(evictions, Each(HasSubstr("pod=default/leak ")));
  ASSERT_THAT(evictions, SizeIs(3));
  std::vector<std::int64_t> available;
  for (const std::string& line : evictions) available.push_back(AvailableIn(line));
  std::ranges::sort(available);
  EXPECT_GE(available[1], (kMovingThreshold - kMovingMost) * kMovingMi);
}

}  // namespace
}  // namespace jettison
