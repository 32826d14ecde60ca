#pragma once

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "cli/commands.h"

namespace jettison {

// What a command did.
struct CommandRun {
  int status = 0;
  std::string out;
  std::string complaint;
};

// Runs the command of a line, which is given without the program's name.
inline CommandRun RunCommand(std::vector<std::string> words) {
  CommandRun run;
  CLI::App app("", "jettison");
  AddCommands(app, run.status);
  std::ranges::reverse(words);  // as CLI11 takes them
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  app.parse(words);
  run.complaint = testing::internal::GetCapturedStderr();
  run.out = testing::internal::GetCapturedStdout();
  return run;
}

}  // namespace jettison
