#include "tests/arch/include_rules.h"

#include <algorithm>
#include <array>
#include <map>
#include <regex>
#include <set>

namespace jettison {
namespace {

using Names = std::set<std::string, std::less<>>;

// room -> rooms it may include, besides itself. Platform rooms and what they may see are below.
const std::map<std::string, Names, std::less<>>& Arrows() {
  static const Names kCore = {"units",    "model",  "config", "observe",
                              "evaluate", "decide", "report"};
  static const auto kArrows = [] {
    std::map<std::string, Names, std::less<>> arrows;
    arrows["units"] = {};
    arrows["json"] = {"units"};
    arrows["model"] = {"units"};
    for (const char* room : {"config", "observe", "evaluate", "decide", "report"}) {
      arrows[room] = kCore;
    }
    arrows["ports"] = {"units", "model"};
    arrows["pod_host"] = {"units", "model", "ports"};
    arrows["act"] = kCore;
    arrows["act"].insert("ports");
    arrows["pass"] = arrows["act"];
    arrows["pass"].insert("act");
    arrows["explain"] = kCore;
    arrows["explain"].insert({"ports", "act", "pass", "json"});
    arrows["sim"] = arrows["pass"];
    arrows["sim"].insert("pass");
    return arrows;
  }();
  return kArrows;
}

std::string WithoutComments(std::string_view text) {
  static const std::regex kComment(R"(//[^\n]*|/\*[\s\S]*?\*/)");
  return std::regex_replace(std::string(text), kComment, " ");
}

}  // namespace

std::string RoomOf(std::string_view path) {
  const std::size_t first = path.find('/');
  if (path.substr(0, first) != "platform") return std::string(path.substr(0, first));
  return std::string(path.substr(0, path.find('/', first + 1)));
}

bool IsPure(std::string_view room) {
  constexpr std::array<std::string_view, 10> kPure = {"units",   "json",     "model",  "config",
                                                      "observe", "evaluate", "decide", "report",
                                                      "pass",    "explain"};
  return std::find(kPure.begin(), kPure.end(), room) != kPure.end();
}

bool MayInclude(std::string_view from_room, std::string_view to_room) {
  if (from_room == to_room) return true;
  if (from_room == "cli") return true;
  if (to_room == "cli" || to_room == "api") return false;
  if (from_room == "api") return to_room != "sim";
  if (from_room == "recordings") return to_room != "agent";
  if (from_room == "agent") return to_room != "sim" && to_room != "recordings";
  if (from_room.starts_with("platform/")) {
    return to_room == "units" || to_room == "json" || to_room == "model" || to_room == "ports" ||
           to_room == "pod_host";
  }
  const auto arrows = Arrows().find(from_room);
  return arrows != Arrows().end() && arrows->second.contains(to_room);
}

std::vector<std::string> QuotedIncludes(std::string_view text) {
  static const std::regex kInclude(R"re(#\s*include\s*"([^"]+)")re");
  const std::string code = WithoutComments(text);
  std::vector<std::string> includes;
  for (std::sregex_iterator it(code.begin(), code.end(), kInclude), end; it != end; ++it) {
    includes.push_back((*it)[1]);
  }
  return includes;
}

std::vector<std::string> Impurities(std::string_view text) {
  static const std::regex kImpure(
      R"(<(thread|mutex|shared_mutex|condition_variable|atomic|future|fstream|iostream|cstdio)"
      R"(|filesystem|random|sys/[a-z]+\.h|unistd\.h|fcntl\.h|time\.h|signal\.h)>)"
      R"(|::now\(|\bthrow\b|\bcatch\b|\btry\b|\bgetenv\b|\bstd::ifstream\b|\bfopen\b|\btime\()");
  const std::string code = WithoutComments(text);
  std::vector<std::string> found;
  for (std::sregex_iterator it(code.begin(), code.end(), kImpure), end; it != end; ++it) {
    found.push_back(it->str());
  }
  return found;
}

}  // namespace jettison
