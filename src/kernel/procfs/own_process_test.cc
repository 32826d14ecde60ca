#include <fcntl.h>
#include <gtest/gtest.h>

#include <vector>

#include "kernel/procfs/procfs.h"
#include "ports/file_descriptor.h"

namespace jettison {
namespace {

TEST(OwnProcess, ItsFiguresArePlausible) {
  const auto process = ReadOwnProcess();
  ASSERT_TRUE(process) << process.error().message;
  EXPECT_GT(process->cpu.count(), 0);
  EXPECT_GT(process->resident_bytes, 1U << 20);
  EXPECT_GT(process->virtual_bytes, process->resident_bytes);
}

TEST(OwnProcess, AnOpenFileCounts) {
  const auto before = ReadOwnProcess();
  ASSERT_TRUE(before);
  if (!before->open_fds) GTEST_SKIP() << "this kernel does not count them (before Linux 6.2)";
  std::vector<FileDescriptor> files;
  for (int i = 0; i < 10; ++i) files.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(*ReadOwnProcess()->open_fds, *before->open_fds + 10);
}

TEST(OwnProcess, WithoutProcNothingIsMadeUp) {
  EXPECT_FALSE(ReadOwnProcess("/nowhere"));
}

}  // namespace
}  // namespace jettison
