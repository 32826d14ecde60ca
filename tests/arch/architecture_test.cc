// The architecture as a test: includes follow the arrows, and the core is pure.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/arch/include_rules.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct SourceFile {
  std::string path;  // below src/
  std::string text;
};

bool IsTest(const std::string& path) {
  return path.ends_with("_test.cc") || path.find("/fakes/") != std::string::npos ||
         path.find("/test_") != std::string::npos || path.find("/live_") != std::string::npos;
}

std::vector<SourceFile> ProductionSources() {
  const fs::path root = fs::path(JETTISON_SOURCE) / "src";
  std::vector<SourceFile> files;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const std::string extension = entry.path().extension();
    if (extension != ".h" && extension != ".cc") continue;
    const std::string path = fs::relative(entry.path(), root).string();
    if (IsTest(path)) continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    files.push_back({path, text.str()});
  }
  return files;
}

TEST(Architecture, SourcesAreFound) {
  EXPECT_GT(ProductionSources().size(), 30U);
}

TEST(Architecture, IncludesFollowTheArrows) {
  for (const SourceFile& file : ProductionSources()) {
    for (const std::string& include : QuotedIncludes(file.text)) {
      EXPECT_TRUE(MayInclude(RoomOf(file.path), RoomOf(include)))
          << file.path << " includes " << include;
    }
  }
}

TEST(Architecture, TheCoreHasNoClockThreadFileOrException) {
  for (const SourceFile& file : ProductionSources()) {
    if (!IsPure(RoomOf(file.path))) continue;
    EXPECT_THAT(Impurities(file.text), IsEmpty()) << file.path;
  }
}

TEST(Architecture, OnlyTheAgentStartsThreads) {
  for (const SourceFile& file : ProductionSources()) {
    const std::string room = RoomOf(file.path);
    if (room == "agent") continue;
    EXPECT_EQ(file.text.find("std::thread"), std::string::npos) << file.path;
    EXPECT_EQ(file.text.find("std::jthread"), std::string::npos) << file.path;
    EXPECT_EQ(file.text.find("pthread_create"), std::string::npos) << file.path;
  }
}

TEST(Architecture, EveryRoomHasAReadme) {
  const fs::path root = fs::path(JETTISON_SOURCE) / "src";
  for (const SourceFile& file : ProductionSources()) {
    const fs::path readme = root / RoomOf(file.path) / "README.md";
    EXPECT_TRUE(fs::exists(readme)) << readme;
  }
}

TEST(IncludeRules, ArrowsPointOneWay) {
  EXPECT_TRUE(MayInclude("decide", "model"));
  EXPECT_FALSE(MayInclude("model", "decide"));
  EXPECT_FALSE(MayInclude("decide", "ports"));
  EXPECT_TRUE(MayInclude("platform/procfs", "ports"));
  EXPECT_FALSE(MayInclude("platform/procfs", "decide"));
  EXPECT_FALSE(MayInclude("platform/procfs", "platform/cgroup_v1"));
  EXPECT_TRUE(MayInclude("explain", "pass"));
  EXPECT_FALSE(MayInclude("explain", "platform/documents"));
  EXPECT_FALSE(MayInclude("decide", "explain"));
  EXPECT_FALSE(MayInclude("sim", "platform/procfs"));
  EXPECT_FALSE(MayInclude("sim", "agent"));
  EXPECT_FALSE(MayInclude("agent", "cli"));
  EXPECT_TRUE(MayInclude("api", "agent"));
  EXPECT_FALSE(MayInclude("agent", "api"));
  EXPECT_FALSE(MayInclude("api", "sim"));
  EXPECT_FALSE(MayInclude("no such room", "units"));
}

TEST(IncludeRules, RoomsAreFoldersAndPlatformRoomsAreFoldersBelowPlatform) {
  EXPECT_EQ(RoomOf("units/quantity.h"), "units");
  EXPECT_EQ(RoomOf("platform/cgroup_v1/mounts.h"), "platform/cgroup_v1");
}

TEST(IncludeRules, ImpuritiesAreFoundInCodeAndNotInComments) {
  EXPECT_THAT(Impurities("auto t = std::chrono::system_clock::now();"), ElementsAre("::now("));
  EXPECT_THAT(Impurities("#include <thread>\n"), ElementsAre("<thread>"));
  EXPECT_THAT(Impurities("throw 1;"), ElementsAre("throw"));
  EXPECT_THAT(Impurities("// a catch and a throw\n/* try */ int throwing;"), IsEmpty());
}

}  // namespace
}  // namespace jettison
