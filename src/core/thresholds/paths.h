#pragma once

#include <string>
#include <string_view>

namespace jettison {

// Paths as text; nothing here looks at a file system.

// What is wrong with an absolute path, empty where nothing is: it must begin with '/', have no
// part ".." and no NUL character.
[[nodiscard]] std::string_view FaultOfAbsolutePath(std::string_view path);

// "/a/b/" -> "/a/b"; "/" stays.
[[nodiscard]] std::string WithoutTrailingSlash(std::string_view path);

// An absolute path without what says nothing: "/a//b/./c/" -> "/a/b/c".
[[nodiscard]] std::string PlainPath(std::string_view path);

// Whether `path` is `folder` or lies below it; both are plain.
[[nodiscard]] bool IsAtOrBelow(std::string_view path, std::string_view folder);

// The directory that a file lies in: "/etc/j/config.yaml" -> "/etc/j", "config.yaml" -> "".
[[nodiscard]] std::string_view DirectoryOf(std::string_view file);

// `path` seen from `directory`: absolute paths stay, an empty directory changes nothing.
[[nodiscard]] std::string JoinedPath(std::string_view directory, std::string_view path);

}  // namespace jettison
