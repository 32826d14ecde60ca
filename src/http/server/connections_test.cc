#include "http/server/connections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jettison::http {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr HttpLimits kLimits = {
    .connections = 3, .request = seconds(10), .answer = seconds(30), .idle = seconds(60)};
constexpr SteadyTime kStart{std::chrono::hours(1)};

class ConnectionsTest : public ::testing::Test {
 protected:
  Connection& Add(int descriptor, SteadyTime now) {
    return all_.Add({.descriptor = descriptor}, now);
  }
  [[nodiscard]] std::vector<int> Overdue(SteadyTime now) const {
    std::vector<int> descriptors;
    for (const Connection* connection : all_.Overdue(now)) {
      descriptors.push_back(connection->descriptor);
    }
    return descriptors;
  }
  Connections all_{kLimits};
};

TEST_F(ConnectionsTest, NothingIsDueWithoutAConnection) {
  EXPECT_FALSE(all_.NextDeadline());
  EXPECT_EQ(all_.OldestIncomplete(), nullptr);
}

TEST_F(ConnectionsTest, ARequestHasItsTimeInAllHoweverOftenSomethingComes) {
  Connection& slow = Add(4, kStart);
  all_.RequestBegan(slow, kStart + seconds(9));
  EXPECT_EQ(all_.NextDeadline(), kStart + seconds(10));
  EXPECT_THAT(Overdue(kStart + seconds(10) - std::chrono::nanoseconds(1)), IsEmpty());
  EXPECT_THAT(Overdue(kStart + seconds(10)), ElementsAre(4));
}

TEST_F(ConnectionsTest, AnAnswerHasItsTimeAndThenTheNextRequestMayBegin) {
  Connection& one = Add(4, kStart);
  all_.Answering(one, kStart + seconds(1));
  EXPECT_EQ(all_.NextDeadline(), kStart + seconds(31));
  all_.Answered(one, kStart + seconds(2));
  EXPECT_EQ(all_.NextDeadline(), kStart + seconds(62));
  all_.RequestBegan(one, kStart + seconds(50));
  EXPECT_EQ(all_.NextDeadline(), kStart + seconds(60));
}

TEST_F(ConnectionsTest, AStreamThatHasNothingToSendMayWaitForever) {
  Connection& stream = Add(4, kStart);
  stream.has_stream = true;
  EXPECT_EQ(all_.streams(), 1U);
  Connections::Waiting(stream);
  EXPECT_FALSE(all_.NextDeadline());
  EXPECT_THAT(Overdue(kStart + seconds(100'000)), IsEmpty());
  all_.Answered(stream, kStart);
  EXPECT_EQ(all_.streams(), 0U);
}

TEST_F(ConnectionsTest, TheOldestWithoutAWholeRequestIsTheOneToGo) {
  Connection& first = Add(9, kStart);
  Connection& second = Add(5, kStart + seconds(1));
  Add(6, kStart + seconds(2));
  EXPECT_TRUE(all_.IsFull());
  EXPECT_EQ(all_.OldestIncomplete()->descriptor, 9);
  all_.Answering(first, kStart + seconds(3));
  EXPECT_EQ(all_.OldestIncomplete()->descriptor, 5);
  all_.Answered(second, kStart + seconds(4));  // counts from now on
  EXPECT_EQ(all_.OldestIncomplete()->descriptor, 6);
  all_.Remove(6);
  EXPECT_EQ(all_.OldestIncomplete()->descriptor, 5);
  EXPECT_FALSE(all_.IsFull());
}

}  // namespace
}  // namespace jettison::http
