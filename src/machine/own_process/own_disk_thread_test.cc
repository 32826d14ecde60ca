#include "machine/own_process/own_disk_thread.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <vector>

namespace jettison {
namespace {

TEST(OwnDiskThread, DoesWorkInItsOrderAndAllOfItBeforeItsEnd) {
  auto numbers = std::make_shared<std::vector<int>>();
  {
    OwnDiskThread thread;
    std::promise<void> go;
    ASSERT_TRUE(
        thread.Do([may = std::make_shared<std::future<void>>(go.get_future())] { may->wait(); }));
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(thread.Do([numbers, i] { numbers->push_back(i); }));
    }
    EXPECT_TRUE(numbers->empty()) << "the disk has not answered yet";
    go.set_value();
  }
  ASSERT_EQ(numbers->size(), 100U);
  for (int i = 0; i < 100; ++i) EXPECT_EQ((*numbers)[static_cast<std::size_t>(i)], i);
}

TEST(OwnDiskThread, TakesUpWorkThatComesAfterItHadNone) {
  OwnDiskThread thread;
  for (int i = 0; i < 50; ++i) {
    auto done = std::make_shared<std::promise<void>>();
    auto heard = done->get_future();
    ASSERT_TRUE(thread.Do([done] { done->set_value(); }));
    heard.wait();
  }
}

}  // namespace
}  // namespace jettison
