#pragma once

#include <cstdio>
#include <memory>
#include <string>

namespace jettison {

struct CloseInput {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};
// A file that is read, or standard input, which stays open.
using InputFile = std::unique_ptr<std::FILE, CloseInput>;

// "-" is standard input. Null where it cannot be opened; errno says why.
[[nodiscard]] inline InputFile OpenInput(const std::string& path) {
  return InputFile(path == "-" ? stdin : std::fopen(path.c_str(), "re"));
}

}  // namespace jettison
