#include "kernel/groups/fd_reserve.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "kernel/groups/few_descriptors.h"

namespace jettison::kernel {
namespace {

FileDescriptor OpenOne() {
  return FileDescriptor(OpenSparing([] { return ::open("/", O_PATH | O_CLOEXEC); }));
}

TEST(FdReserve, OnlyWhoEndsPodsMayTakeFromItAndItIsFullAgainAfterwards) {
  ASSERT_EQ(FdReserve::Fill(), FdReserve::kSize);
  FewDescriptors few(4);
  few.TakeAll();
  EXPECT_FALSE(OpenOne());
  EXPECT_EQ(errno, EMFILE);
  for (int round = 0; round < 3; ++round) {
    const EndingPods outer;
    std::vector<FileDescriptor> opened;
    for (std::size_t i = 0; i < FdReserve::kSize; ++i) {
      const EndingPods inner;
      opened.push_back(OpenOne());
      ASSERT_TRUE(opened.back()) << i;
    }
    EXPECT_FALSE(OpenOne()) << "none is left";
    EXPECT_EQ(errno, EMFILE);
  }
  EXPECT_FALSE(OpenOne());
}

// How many descriptors other users can have after the end of a pod, beyond those that must be left.
int LeftAfterAnEnd() {
  FewDescriptors few(FdReserve::kSize / 2);
  (void)FdReserve::Fill();
  const FewDescriptors more(FdReserve::kSize + 4);
  {
    const EndingPods ending;
    const FileDescriptor one = OpenOne();
    if (!one) return -1;
  }
  std::vector<FileDescriptor> others;
  for (FileDescriptor one = OpenOne(); one; one = OpenOne()) others.push_back(std::move(one));
  return static_cast<int>(others.size()) - static_cast<int>(FdReserve::kSize);
}

// What could not be reserved at the start is left to other users. In a process of its own: a thread
// of another test may still be closing what it had.
TEST(FdReserve, AnEndPutsBackWhatItSpentAndTakesNoMore) {
  EXPECT_EXIT(::_exit(LeftAfterAnEnd()), testing::ExitedWithCode(4), "");
}

// FDSize in /proc/self/status: the size of the kernel's table.
long RoomForDescriptors() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == "FDSize:" && status >> word) return std::stol(word);
  }
  return -1;
}

TEST(FdReserve, ThereIsRoomForManyDescriptorsFromTheStart) {
  rlimit most{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &most), 0);
  FdReserve::MakeRoom();
  EXPECT_GE(RoomForDescriptors(), static_cast<long>(std::min<rlim_t>(most.rlim_cur, 8192)));
}

TEST(FdReserve, IsNotTouchedWhereThereAreDescriptors) {
  ASSERT_EQ(FdReserve::Fill(), FdReserve::kSize);
  const EndingPods ending;
  EXPECT_TRUE(OpenOne());
  EXPECT_EQ(FdReserve::Fill(), FdReserve::kSize);
  EXPECT_LT(OpenSparing([] { return ::open("/no such file", O_RDONLY); }), 0);
  EXPECT_EQ(errno, ENOENT);
}

}  // namespace
}  // namespace jettison::kernel
