#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace jettison {

using Names = std::set<std::string, std::less<>>;
// room -> rooms that it depends on
using Arrows = std::map<std::string, Names, std::less<>>;

// The room a source file belongs to, by its path below src/: its folder.
[[nodiscard]] std::string RoomOf(std::string_view path);

// The part of the source tree to which a room belongs: the first folder of its path.
[[nodiscard]] std::string PartOf(std::string_view room);

// Whether rooms of one part may include rooms of another. Dependencies between parts have one
// direction.
[[nodiscard]] bool PartMayInclude(std::string_view from_part, std::string_view to_part);

// Whether a room may include its neighbour in the same part. The rooms of `kernel`, `sources` and
// `runtimes` stand alone, but for those of `kernel` and `sources` that the others are built on.
[[nodiscard]] bool NeighbourMayInclude(std::string_view from_room, std::string_view to_room);

// Whether the room belongs to the core, which has no clock, thread, file or exception.
[[nodiscard]] bool IsPure(std::string_view room);

// What the CMakeLists.txt of a room declares: the name of its library without `jettison_`, and the
// libraries of the project that it and its tests depend on, named in the same way.
struct DeclaredRoom {
  std::string name;
  Names deps;
  Names test_deps;
};
// Absent where there is no call of jettison_room and no library.
[[nodiscard]] std::optional<DeclaredRoom> DeclaredIn(std::string_view cmake);

// A cycle of dependencies; empty where there is none.
[[nodiscard]] std::vector<std::string> CycleIn(const Arrows& arrows);

// What a source text includes in quotes, in order.
[[nodiscard]] std::vector<std::string> QuotedIncludes(std::string_view text);

// Every trace of a clock, thread, file, exception or process-wide state in a source text of the
// core; empty when it is pure. Comments are not looked at.
[[nodiscard]] std::vector<std::string> Impurities(std::string_view text);

}  // namespace jettison
