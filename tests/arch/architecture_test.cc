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
using ::testing::IsEmpty;

// The largest number of sources in a folder, tests left out, with which it is still seen at a
// glance.
constexpr std::size_t kMostSources = 30;

struct SourceFile {
  std::string path;  // below src/
  std::string text;
};

const fs::path& Root() {
  static const fs::path kRoot = fs::path(JETTISON_SOURCE) / "src";
  return kRoot;
}

// Tests, and what only they use.
bool IsTest(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  const auto has = [&name](std::string_view part) { return name.find(part) != std::string::npos; };
  return path.find("/fakes/") != std::string::npos ||
         path.find("/test_bed/") != std::string::npos ||
         path.find("/testing/") != std::string::npos || name.starts_with("fake_") ||
         name.starts_with("live_") || name.starts_with("test_") || has("_test.") || has("_test_") ||
         has("_bed.") || has("_fixture.");
}

std::string TextOf(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

const std::vector<SourceFile>& ProductionSources() {
  static const auto kSources = [] {
    std::vector<SourceFile> files;
    for (const auto& entry : fs::recursive_directory_iterator(Root())) {
      const std::string extension = entry.path().extension();
      if (extension != ".h" && extension != ".cc") continue;
      const std::string path = fs::relative(entry.path(), Root()).string();
      if (!IsTest(path)) files.push_back({path, TextOf(entry.path())});
    }
    return files;
  }();
  return kSources;
}

// By folder.
const std::map<std::string, DeclaredRoom>& Rooms() {
  static const auto kRooms = [] {
    std::map<std::string, DeclaredRoom> rooms;
    for (const auto& entry : fs::recursive_directory_iterator(Root())) {
      if (entry.path().filename() != "CMakeLists.txt") continue;
      const auto room = DeclaredIn(TextOf(entry.path()));
      if (room) rooms[fs::relative(entry.path().parent_path(), Root()).string()] = *room;
    }
    return rooms;
  }();
  return kRooms;
}

// What the sources of each room include of others, by folder.
const Arrows& Included() {
  static const auto kIncluded = [] {
    Arrows arrows;
    for (const SourceFile& file : ProductionSources()) {
      Names& targets = arrows[RoomOf(file.path)];
      for (const std::string& include : QuotedIncludes(file.text)) {
        if (RoomOf(include) != RoomOf(file.path)) targets.insert(RoomOf(include));
      }
    }
    return arrows;
  }();
  return kIncluded;
}

TEST(Architecture, SourcesAreFound) {
  EXPECT_GT(ProductionSources().size(), 30U);
  EXPECT_GT(Rooms().size(), 30U);
}

// The libraries of these rooms but not of those, as a CMakeLists.txt names them.
Names Without(const Names& these, const Names& those) {
  Names rest;
  for (const std::string& name : these) {
    if (!those.contains(name)) rest.insert("jettison_" + name);
  }
  return rest;
}

TEST(Architecture, ARoomNamesTheRoomsThatItIncludesAndNoOthers) {
  for (const auto& [folder, targets] : Included()) {
    ASSERT_TRUE(Rooms().contains(folder)) << folder << " has no CMakeLists.txt";
    Names names;
    for (const std::string& target : targets) {
      ASSERT_TRUE(Rooms().contains(target)) << folder << " includes of " << target;
      names.insert(Rooms().at(target).name);
    }
    Names declared;
    for (const std::string& name : Rooms().at(folder).deps) {
      const auto is_room = [&name](const auto& room) { return room.second.name == name; };
      if (std::ranges::any_of(Rooms(), is_room)) declared.insert(name);
    }
    EXPECT_THAT(Without(names, declared), IsEmpty())
        << "included, but not among the DEPS in src/" << folder << "/CMakeLists.txt";
    EXPECT_THAT(Without(declared, names), IsEmpty())
        << "not included by a source, but among the DEPS in src/" << folder << "/CMakeLists.txt";
  }
}

TEST(Architecture, ArrowsNeverComeBack) {
  EXPECT_THAT(CycleIn(Included()), IsEmpty());
}

TEST(Architecture, PartsOfTheHousePointOneWay) {
  for (const auto& [folder, targets] : Included()) {
    for (const std::string& target : targets) {
      EXPECT_TRUE(PartMayInclude(PartOf(folder), PartOf(target))) << folder << " -> " << target;
    }
  }
}

TEST(Architecture, RoomsOfTheKernelSourcesAndRuntimesStandAlone) {
  for (const auto& [folder, targets] : Included()) {
    for (const std::string& target : targets) {
      if (PartOf(folder) != PartOf(target)) continue;
      EXPECT_TRUE(NeighbourMayInclude(folder, target)) << folder << " -> " << target;
    }
  }
}

TEST(Architecture, NoFolderIsTooLargeToBeSeenAtAGlance) {
  std::map<std::string, std::size_t> sources;
  for (const SourceFile& file : ProductionSources()) ++sources[RoomOf(file.path)];
  for (const auto& [folder, count] : sources) EXPECT_LE(count, kMostSources) << folder;
}

TEST(Architecture, TheCoreHasNoClockThreadFileOrException) {
  for (const SourceFile& file : ProductionSources()) {
    if (!IsPure(RoomOf(file.path))) continue;
    EXPECT_THAT(Impurities(file.text), IsEmpty()) << file.path;
  }
}

TEST(Architecture, OnlyTheJobQueueStartsThreads) {
  for (const SourceFile& file : ProductionSources()) {
    if (file.path == "machine/loop/job_queue.cc") continue;
    // `simulate` reads several recordings at once; no agent runs in it.
    if (file.path.ends_with("cli/simulate/simulate_nodes.cc")) continue;
    EXPECT_EQ(file.text.find("std::thread"), std::string::npos) << file.path;
    EXPECT_EQ(file.text.find("std::jthread"), std::string::npos) << file.path;
    EXPECT_EQ(file.text.find("pthread_create"), std::string::npos) << file.path;
  }
}

TEST(Architecture, EveryRoomHasAReadme) {
  for (const SourceFile& file : ProductionSources()) {
    const fs::path readme = Root() / RoomOf(file.path) / "README.md";
    EXPECT_TRUE(fs::exists(readme)) << readme;
  }
}

}  // namespace
}  // namespace jettison
