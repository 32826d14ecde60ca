#pragma once

#include <string_view>

namespace jettison::documents {

inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
// What stands between values, in JSON and in YAML alike.
inline constexpr std::string_view kBlanks = " \t\r\n";

}  // namespace jettison::documents
