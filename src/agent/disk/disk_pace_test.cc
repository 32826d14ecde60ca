#include "agent/disk/disk_pace.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

TEST(DiskPace, RestsAsLongAsTheShareSaysButNotForLittle) {
  EXPECT_EQ(DiskPace::RestAfter(milliseconds(10), 0.5), milliseconds(10));
  EXPECT_EQ(DiskPace::RestAfter(milliseconds(10), 0.25), milliseconds(30));
  EXPECT_EQ(DiskPace::RestAfter(milliseconds(10), 1), Duration::zero());
  EXPECT_EQ(DiskPace::RestAfter(milliseconds(4), 0.5), Duration::zero()) << "it adds up";
}

// Works until `pace` has made it rest at least once; true if the rest was as long as required.
bool RestsAsOwed(DiskPace& pace) {
  pace.TakeUp();
  const auto begin = steady_clock::now();
  while (steady_clock::now() - begin < milliseconds(6)) {
  }
  const auto worked = steady_clock::now();
  pace.Breathe();
  return steady_clock::now() - worked >= milliseconds(6);
}

TEST(DiskPace, NobodyRestsWhileItIsUrgentOrOver) {
  DiskPace pace(0.5);
  EXPECT_TRUE(RestsAsOwed(pace));
  DiskPace slow(0.000001);  // would rest for hours
  slow.SetUrgent(true);
  EXPECT_FALSE(RestsAsOwed(slow));
  slow.SetUrgent(false);
  slow.Stop();
  EXPECT_FALSE(RestsAsOwed(slow));
}

TEST(DiskPace, WhoRestsIsWokenWhenItBecomesUrgent) {
  DiskPace pace(0.000001);
  std::thread resting([&] { RestsAsOwed(pace); });
  pace.SetUrgent(true);
  resting.join();
}

}  // namespace
}  // namespace jettison
