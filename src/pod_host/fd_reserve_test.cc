#include "pod_host/fd_reserve.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <vector>

#include "pod_host/few_descriptors.h"

namespace jettison::pod_host {
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

TEST(FdReserve, IsNotTouchedWhereThereAreDescriptors) {
  ASSERT_EQ(FdReserve::Fill(), FdReserve::kSize);
  const EndingPods ending;
  EXPECT_TRUE(OpenOne());
  EXPECT_EQ(FdReserve::Fill(), FdReserve::kSize);
  EXPECT_LT(OpenSparing([] { return ::open("/no such file", O_RDONLY); }), 0);
  EXPECT_EQ(errno, ENOENT);
}

}  // namespace
}  // namespace jettison::pod_host
