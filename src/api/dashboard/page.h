#pragma once

#include <string_view>

namespace jettison {

// The page for a browser at `/`: one HTML file that asks for nothing but this agent's own API.
// Where the program was built without it (JETTISON_DASHBOARD=OFF) a page that says so.
[[nodiscard]] std::string_view DashboardPage();

// The value of the Content-Security-Policy header to send with it: its own style and script by
// their hashes, requests to its own origin, nothing else.
[[nodiscard]] std::string_view DashboardPolicy();

}  // namespace jettison
