#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "kernel/files/files.h"
#include "kernel/files/temporary_folder.h"
#include "runtimes/process/runs/shim_process.h"

namespace jettison::process {
namespace {

// How many bytes of a file are mapped here and in memory.
std::size_t HeldBytesOf(const std::string& path) {
  std::ifstream maps("/proc/self/smaps");
  std::size_t bytes = 0;
  bool is_it = false;
  for (std::string line; std::getline(maps, line);) {
    if (line.find('-') < line.find(' ')) is_it = line.ends_with(path);
    if (is_it && line.starts_with("Rss:")) bytes += std::stoul(line.substr(4)) << 10;
  }
  return bytes;
}

TEST(ResidentProgram, IsInMemoryAsLongAsItIsHeld) {
  const kernel::TemporaryFolder folder;
  const std::string path = folder.path() + "/program";
  ASSERT_TRUE(kernel::WriteFile(path, std::string(std::size_t{20} << 10, 'x')));
  {
    const ResidentProgram program(path);
    EXPECT_EQ(HeldBytesOf(path), std::size_t{20} << 10);
  }
  EXPECT_EQ(HeldBytesOf(path), 0U);
}

TEST(ResidentProgram, WhatIsNoProgramIsNotHeldAndNobodyWaitsForIt) {
  const kernel::TemporaryFolder folder;
  const ResidentProgram missing(folder.path() + "/missing");
  const ResidentProgram a_folder(folder.path());
  const std::string fifo = folder.path() + "/fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const ResidentProgram a_fifo(fifo);
  ASSERT_TRUE(kernel::WriteFile(folder.path() + "/empty", ""));
  const ResidentProgram empty(folder.path() + "/empty");
  EXPECT_EQ(HeldBytesOf(folder.path() + "/empty"), 0U);
}

TEST(ResidentProgram, OfAVeryLargeFileTheBeginningIsHeld) {
  const kernel::TemporaryFolder folder;
  const std::string path = folder.path() + "/program";
  ASSERT_TRUE(kernel::WriteFile(path, ""));
  ASSERT_EQ(::truncate(path.c_str(), off_t{1} << 30), 0);
  const ResidentProgram program(path);
  EXPECT_EQ(HeldBytesOf(path), std::size_t{4} << 20);
}

}  // namespace
}  // namespace jettison::process
