#include "machine/own_process/own_threads.h"

#include <gtest/gtest.h>

#include <future>

namespace jettison {
namespace {

TEST(OwnDiskThread, LongWorkThatHangsHoldsUpNoOther) {
  std::promise<void> answer;
  std::promise<void> hung_is_done;
  std::promise<void> others_are_done;
  OwnDiskThread disk;
  ASSERT_TRUE(disk.DoLong([&] {
    answer.get_future().wait();
    hung_is_done.set_value();
  }));
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(disk.DoLong([&, i] {
      if (i == 2) others_are_done.set_value();
    }));
  }
  others_are_done.get_future().wait();
  answer.set_value();
  hung_is_done.get_future().wait();
}

}  // namespace
}  // namespace jettison
