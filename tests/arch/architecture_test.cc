// The architecture as a test: includes follow the arrows, and the core is pure.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace jettison {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;

using Names = std::set<std::string, std::less<>>;
using Arrows = std::map<std::string, Names, std::less<>>;  // room -> rooms that it depends on

// The room a source file belongs to, by its path below src/: its folder.
std::string RoomOf(std::string_view path) {
  const std::size_t last = path.rfind('/');
  return last == std::string_view::npos ? "" : std::string(path.substr(0, last));
}

// The part of the source tree to which a room belongs: the first folder of its path.
std::string PartOf(std::string_view room) {
  return std::string(room.substr(0, room.find('/')));
}

// part -> parts it may include, besides itself.
const Arrows& PartArrows() {
  static const Arrows kArrows = [] {
    Arrows arrows;
    arrows["core"] = {};
    arrows["codec"] = {"core"};
    arrows["ports"] = {"core"};
    arrows["apply"] = {"core", "ports"};
    arrows["sim"] = {"core", "ports", "codec", "apply"};
    arrows["kernel"] = {"core", "ports"};
    arrows["rpc"] = {"core", "ports"};
    arrows["http"] = {"core", "ports"};
    arrows["containers"] = {"core", "ports", "kernel", "rpc", "pods"};
    arrows["pods"] = {"core", "ports", "kernel"};
    arrows["sources"] = {"core", "ports", "codec", "kernel", "rpc", "http", "containers", "pods"};
    arrows["runtimes"] = {"core", "ports", "codec", "kernel", "rpc", "containers", "pods"};
    arrows["view"] = {"core", "ports", "codec"};
    arrows["machine"] = {"core", "ports",   "codec",    "kernel",     "rpc",
                         "view", "sources", "runtimes", "containers", "pods"};
    arrows["agent"] = {"core", "ports",   "apply",    "codec", "kernel",  "rpc",
                       "http", "sources", "runtimes", "view",  "machine", "pods"};
    arrows["api"] = {"core", "ports", "codec", "kernel", "http", "view", "sim", "machine", "agent"};
    return arrows;
  }();
  return kArrows;
}

bool PartMayInclude(std::string_view from_part, std::string_view to_part) {
  if (from_part == to_part || from_part == "cli") return true;
  const auto arrows = PartArrows().find(from_part);
  return arrows != PartArrows().end() && arrows->second.contains(to_part);
}

// Whether a room may include its neighbour in the same part. The rooms of `kernel`, `sources` and
// `runtimes` stand alone, but for those of `kernel` and `sources` that the others are built on.
bool NeighbourMayInclude(std::string_view from_room, std::string_view to_room) {
  static const Names kShared = {"kernel/files",  "kernel/groups",    "kernel/groups/layout",
                                "kernel/mounts", "kernel/readiness", "sources/foreign"};
  const std::string part = PartOf(from_room);
  if (part != "kernel" && part != "sources" && part != "runtimes") return true;
  if (kShared.contains(to_room)) return true;
  // runtimes/cri and its inner rooms are one house of their own.
  const auto leaf = [](std::string_view room) {
    const std::size_t first = room.find('/');
    return std::string(room.substr(0, room.find('/', first + 1)));
  };
  return leaf(from_room) == leaf(to_room);
}

std::string Without(const re2::RE2& what, std::string_view text) {
  std::string rest(text);
  re2::RE2::GlobalReplace(&rest, what, " ");
  return rest;
}

const re2::RE2 kComment(R"(//[^\n]*|/\*(?s:.*?)\*/)");
const re2::RE2 kHashComment(R"(#[^\n]*)");

// All that the expression finds in a source text, comments left out.
std::vector<std::string> FoundIn(std::string_view text, const re2::RE2& what) {
  const std::string code = Without(kComment, text);
  std::vector<std::string> found;
  re2::StringPiece rest(code);
  for (std::string one; re2::RE2::FindAndConsume(&rest, what, &one);) found.push_back(one);
  return found;
}

// The library of a room, without `jettison_`, and those of the project that it depends on.
struct DeclaredRoom {
  std::string name;
  Names deps;
};

// Absent where a CMakeLists.txt has no call of jettison_room and no library.
std::optional<DeclaredRoom> DeclaredIn(std::string_view cmake) {
  static const re2::RE2 kRoom(R"(jettison_room\(\s*([a-z_0-9]+)([^)]*)\))");
  static const re2::RE2 kLibrary(R"(add_library\(\s*jettison_([a-z_0-9]+)[^)]*\))");
  static const re2::RE2 kLinks(R"(target_link_libraries\(\s*jettison_([a-z_0-9]+)([^)]*)\))");
  static const re2::RE2 kName(R"(\bjettison_([a-z_0-9]+))");
  const std::string text = Without(kHashComment, cmake);
  DeclaredRoom room;
  std::string arguments;
  const auto read_names = [&] {
    re2::StringPiece rest(arguments);
    rest = rest.substr(0, rest.find("TEST_DEPS"));
    for (std::string name; re2::RE2::FindAndConsume(&rest, kName, &name);) room.deps.insert(name);
  };
  if (re2::RE2::PartialMatch(text, kRoom, &room.name, &arguments)) {
    read_names();
    return room;
  }
  if (!re2::RE2::PartialMatch(text, kLibrary, &room.name)) return std::nullopt;
  re2::StringPiece rest(text);
  for (std::string name; re2::RE2::FindAndConsume(&rest, kLinks, &name, &arguments);) {
    if (name == room.name) read_names();
  }
  return room;
}

// One step of a walk in depth: `path` is the way here.
bool FindCycle(const Arrows& arrows, const std::string& room, std::vector<std::string>& path,
               Names& done) {
  if (const auto again = std::ranges::find(path, room); again != path.end()) {
    path.erase(path.begin(), again);
    path.push_back(room);
    return true;
  }
  if (done.contains(room)) return false;
  path.push_back(room);
  if (const auto it = arrows.find(room); it != arrows.end()) {
    for (const std::string& next : it->second) {
      if (FindCycle(arrows, next, path, done)) return true;
    }
  }
  path.pop_back();
  done.insert(room);
  return false;
}

// A cycle of dependencies; empty where there is none.
std::vector<std::string> CycleIn(const Arrows& arrows) {
  Names done;
  for (const auto& [room, targets] : arrows) {
    std::vector<std::string> path;
    if (FindCycle(arrows, room, path, done)) return path;
  }
  return {};
}

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
  static const re2::RE2 kInclude(R"re(#\s*include\s*"([^"]+)")re");
  static const auto kIncluded = [] {
    Arrows arrows;
    for (const SourceFile& file : ProductionSources()) {
      Names& targets = arrows[RoomOf(file.path)];
      for (const std::string& include : FoundIn(file.text, kInclude)) {
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
Names Missing(const Names& these, const Names& those) {
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
    EXPECT_THAT(Missing(names, declared), IsEmpty())
        << "included, but not among the DEPS in src/" << folder << "/CMakeLists.txt";
    EXPECT_THAT(Missing(declared, names), IsEmpty())
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
  const re2::RE2 impure(
      R"((<(?:thread|mutex|shared_mutex|condition_variable|atomic|future|fstream|iostream|cstdio)"
      R"(|filesystem|random|sys/[a-z]+\.h|unistd\.h|fcntl\.h|time\.h|signal\.h)>)"
      R"(|::now\(|\bthrow\b|\bcatch\b|\btry\b|\bgetenv\b|\bstd::ifstream\b|\bfopen\b|\btime\())");
  for (const SourceFile& file : ProductionSources()) {
    if (PartOf(file.path) == "core")
      EXPECT_THAT(FoundIn(file.text, impure), IsEmpty()) << file.path;
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
