#include "agent/tell/telling_killer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

using ::testing::ElementsAre;

class Killer : public PodKiller {
 public:
  explicit Killer(std::vector<std::string>& heard) : heard_(heard) {}
  [[nodiscard]] Result<EvictOutcome> Evict(const EvictionOrder& order) override {
    heard_.push_back("kill " + order.pod_uid);
    return answer;
  }
  Result<EvictOutcome> answer = EvictOutcome::kEnding;

 private:
  std::vector<std::string>& heard_;
};

class Listener : public EvictionListener {
 public:
  Listener(std::string name, std::vector<std::string>& heard)
      : name_(std::move(name)), heard_(heard) {}
  void Evicting(const EvictionOrder& order, const Result<EvictOutcome>& outcome,
                Instant now) override {
    heard_.push_back(name_ + (outcome ? " " : " not ") + order.pod_uid);
    EXPECT_EQ(now, Instant(std::chrono::hours(1)));
  }

 private:
  std::string name_;
  std::vector<std::string>& heard_;
};

class TellingKillerTest : public testing::Test {
 protected:
  std::vector<std::string> heard_;
  FakeClock clock_{Instant(std::chrono::hours(1))};
  Killer killer_{heard_};
  Listener hooks_{"hooks", heard_};
  Listener cluster_{"cluster", heard_};
  TellingKiller telling_{killer_, clock_, {&hooks_, &cluster_}};
};

TEST_F(TellingKillerTest, ListenersHearOfAnEvictionInTheirOrderWhenTheSignalIsOut) {
  EXPECT_EQ(telling_.Evict({.pod_uid = "u"}), EvictOutcome::kEnding);
  EXPECT_THAT(heard_, ElementsAre("kill u", "hooks u", "cluster u"));
}

TEST_F(TellingKillerTest, ListenersHearThatAPodCouldNotBeToldToEnd) {
  killer_.answer = Fail(ErrorCode::kNotFound, "gone");
  EXPECT_FALSE(telling_.Evict({.pod_uid = "u"}));
  EXPECT_THAT(heard_, ElementsAre("kill u", "hooks not u", "cluster not u"));
}

}  // namespace
}  // namespace jettison
