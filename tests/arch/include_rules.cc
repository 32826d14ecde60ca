#include "tests/arch/include_rules.h"

#include <re2/re2.h>

#include <algorithm>
#include <sstream>

namespace jettison {
namespace {

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

std::string WithoutComments(std::string_view text) {
  static const re2::RE2 kComment(R"(//[^\n]*|/\*(?s:.*?)\*/)");
  std::string code(text);
  re2::RE2::GlobalReplace(&code, kComment, " ");
  return code;
}

std::string WithoutHashComments(std::string_view text) {
  static const re2::RE2 kComment(R"(#[^\n]*)");
  std::string code(text);
  re2::RE2::GlobalReplace(&code, kComment, " ");
  return code;
}

constexpr std::string_view kPrefix = "jettison_";

// The libraries of the project in the arguments of a call.
void ReadNames(const std::string& arguments, DeclaredRoom& room) {
  std::istringstream words(arguments);
  Names* into = &room.deps;
  for (std::string word; words >> word;) {
    if (word == "TEST_DEPS") into = &room.test_deps;
    if (word.starts_with(kPrefix)) into->insert(word.substr(kPrefix.size()));
  }
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

}  // namespace

std::string RoomOf(std::string_view path) {
  const std::size_t last = path.rfind('/');
  return last == std::string_view::npos ? "" : std::string(path.substr(0, last));
}

std::string PartOf(std::string_view room) {
  return std::string(room.substr(0, room.find('/')));
}

bool PartMayInclude(std::string_view from_part, std::string_view to_part) {
  if (from_part == to_part || from_part == "cli") return true;
  const auto arrows = PartArrows().find(from_part);
  return arrows != PartArrows().end() && arrows->second.contains(to_part);
}

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

bool IsPure(std::string_view room) {
  return PartOf(room) == "core";
}

std::optional<DeclaredRoom> DeclaredIn(std::string_view cmake) {
  static const re2::RE2 kRoom(R"(jettison_room\(\s*([a-z_0-9]+)([^)]*)\))");
  static const re2::RE2 kLibrary(R"(add_library\(\s*jettison_([a-z_0-9]+)[^)]*\))");
  static const re2::RE2 kLinks(R"(target_link_libraries\(\s*jettison_([a-z_0-9]+)([^)]*)\))");
  const std::string text = WithoutHashComments(cmake);
  DeclaredRoom room;
  std::string arguments;
  if (re2::RE2::PartialMatch(text, kRoom, &room.name, &arguments)) {
    ReadNames(arguments, room);
    return room;
  }
  if (!re2::RE2::PartialMatch(text, kLibrary, &room.name)) return std::nullopt;
  re2::StringPiece rest(text);
  for (std::string name; re2::RE2::FindAndConsume(&rest, kLinks, &name, &arguments);) {
    if (name == room.name) ReadNames(arguments, room);
  }
  return room;
}

std::vector<std::string> CycleIn(const Arrows& arrows) {
  Names done;
  for (const auto& [room, targets] : arrows) {
    std::vector<std::string> path;
    if (FindCycle(arrows, room, path, done)) return path;
  }
  return {};
}

std::vector<std::string> QuotedIncludes(std::string_view text) {
  static const re2::RE2 kInclude(R"re(#\s*include\s*"([^"]+)")re");
  const std::string code = WithoutComments(text);
  std::vector<std::string> includes;
  re2::StringPiece rest(code);
  for (std::string file; re2::RE2::FindAndConsume(&rest, kInclude, &file);) {
    includes.push_back(file);
  }
  return includes;
}

std::vector<std::string> Impurities(std::string_view text) {
  static const re2::RE2 kImpure(
      R"((<(?:thread|mutex|shared_mutex|condition_variable|atomic|future|fstream|iostream|cstdio)"
      R"(|filesystem|random|sys/[a-z]+\.h|unistd\.h|fcntl\.h|time\.h|signal\.h)>)"
      R"(|::now\(|\bthrow\b|\bcatch\b|\btry\b|\bgetenv\b|\bstd::ifstream\b|\bfopen\b|\btime\())");
  const std::string code = WithoutComments(text);
  std::vector<std::string> found;
  re2::StringPiece rest(code);
  for (std::string impure; re2::RE2::FindAndConsume(&rest, kImpure, &impure);) {
    found.push_back(impure);
  }
  return found;
}

}  // namespace jettison
