#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "view/histories.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;

std::shared_ptr<const RecordedPass> Ordinary(std::uint64_t number) {
  return std::make_shared<const RecordedPass>(RecordedPass{.number = number});
}

std::shared_ptr<const RecordedPass> Special(std::uint64_t number) {
  RecordedPass pass{.number = number};
  pass.report.acting_for = Threshold{};
  return std::make_shared<const RecordedPass>(std::move(pass));
}

std::vector<std::uint64_t> NumbersIn(const PassHistory& history) {
  std::vector<std::uint64_t> numbers;
  for (const auto& pass : history.Passes()) numbers.push_back(pass->number);
  return numbers;
}

TEST(PassHistory, KeepsTheLastOfBothKindsInTheirOrder) {
  PassHistory history({.ordinary = 2, .special = 2});
  history.Add(Special(1));
  for (std::uint64_t number = 2; number < 9; ++number) history.Add(Ordinary(number));
  EXPECT_THAT(NumbersIn(history), ElementsAre(1, 7, 8)) << "what did something stays longer";
  history.Add(Special(9));
  history.Add(Special(10));
  EXPECT_THAT(NumbersIn(history), ElementsAre(7, 8, 9, 10));
}

TEST(PassHistory, ManyPodsMakeItShorter) {
  PassHistory history({.ordinary = 4, .special = 4, .most_pods = 100});
  const auto with_pods = [](RecordedPass pass, std::size_t pods) {
    pass.summary.pods.resize(pods);
    return std::make_shared<const RecordedPass>(std::move(pass));
  };
  for (std::uint64_t number = 1; number <= 4; ++number) {
    history.Add(with_pods(*Special(number), 20));
  }
  for (std::uint64_t number = 5; number <= 7; ++number) {
    history.Add(with_pods(*Ordinary(number), 20));
  }
  EXPECT_THAT(NumbersIn(history), ElementsAre(2, 3, 4, 6, 7)) << "ordinary passes leave first";
  for (std::uint64_t number = 8; number <= 10; ++number) {
    history.Add(with_pods(*Ordinary(number), 1000));
  }
  EXPECT_THAT(NumbersIn(history), ElementsAre(3, 4, 9, 10)) << "two of each kind stay";
  history.Add(with_pods(*Ordinary(11), 1));
  history.Add(with_pods(*Ordinary(12), 1));
  history.Add(with_pods(*Ordinary(13), 1));
  EXPECT_THAT(NumbersIn(history), ElementsAre(3, 4, 11, 12, 13)) << "there is room again";
}

Observations Memory(std::int64_t available) {
  Observations observations;
  observations[Signal::kMemoryAvailable] = Observation{.available = available, .capacity = 100};
  return observations;
}

TEST(SignalHistory, TakesOneSampleASecond) {
  SignalHistory history;
  for (int i = 0; i < 30; ++i) history.Add(Memory(i), Instant(milliseconds(100 * i)));
  ASSERT_EQ(history.Samples().size(), 3U);
  EXPECT_EQ(history.Samples()[1].available[IndexOf(Signal::kMemoryAvailable)], 10);
  EXPECT_TRUE(history.Samples()[1].known[IndexOf(Signal::kMemoryAvailable)]);
  EXPECT_FALSE(history.Samples()[1].known[IndexOf(Signal::kPidAvailable)]);
}

TEST(SignalHistory, IsBoundedUnderPressure) {
  SignalHistory history;
  for (int i = 0; i < 2000; ++i) history.Add(Memory(i), Instant(seconds(i)));
  EXPECT_EQ(history.Samples().size(), 900U);
}

}  // namespace
}  // namespace jettison
