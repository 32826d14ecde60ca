#include "kernel/groups/fd_reserve.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

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

// What could not be reserved at the start is left to other users.
TEST(FdReserve, AnEndPutsBackWhatItSpentAndTakesNoMore) {
  FewDescriptors few(FdReserve::kSize / 2);
  const std::size_t filled = FdReserve::Fill();
  const FewDescriptors more(FdReserve::kSize + 4);
  {
    const EndingPods ending;
    const FileDescriptor one = OpenOne();
    EXPECT_TRUE(one);
  }
  std::vector<FileDescriptor> others;
  for (FileDescriptor one = OpenOne(); one; one = OpenOne()) others.push_back(std::move(one));
  EXPECT_GE(others.size(), FdReserve::kSize + 4) << filled << " were held";
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
