#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jettison {

// The room a source file belongs to, by its path below src/: "units", "platform/cgroup_v1".
[[nodiscard]] std::string RoomOf(std::string_view path);

// Whether a file of one room may include a header of another.
[[nodiscard]] bool MayInclude(std::string_view from_room, std::string_view to_room);

// Whether the room belongs to the pure core.
[[nodiscard]] bool IsPure(std::string_view room);

// What a source text includes in quotes, in order.
[[nodiscard]] std::vector<std::string> QuotedIncludes(std::string_view text);

// Every trace of a clock, thread, file, exception or process-wide state in a source text of the
// core; empty when it is pure. Comments are not looked at.
[[nodiscard]] std::vector<std::string> Impurities(std::string_view text);

}  // namespace jettison
