#include "agent/config_in_force.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <atomic>

#include "core/thresholds/threshold_settings.h"
#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<Threshold> Hard(const std::string& value) {
  return ParseThresholds({.hard = {{"memory.available", value}}}).thresholds;
}

class TheConfigInForce : public testing::Test {
 protected:
  // Our configuration beside the kubelet's.
  static ConfigReading Reading(const std::string& ours, const std::string& theirs) {
    ConfigReading reading;
    reading.config.eviction.thresholds = Hard(ours);
    reading.kubelet_thresholds = Hard(theirs);
    return reading;
  }
  void Begin(const std::string& ours, const std::string& theirs) {
    config_.emplace(Reading(ours, theirs).config, NodeIdentity{},
                    ConfigReaders{.again = [this] { return next_; },
                                  .kubelet = [this]() -> std::optional<ConfigReading> {
                                    ++looks_;
                                    return next_;
                                  },
                                  .kubelet_every = minutes(1),
                                  .kubelet_thresholds = Hard(theirs)},
                    log_);
    config_->Advance(clock_.Now());
  }
  // Waits until the reading is over.
  [[nodiscard]] std::optional<ConfigInForce::Taken> TakeNext() {
    AwaitReading();
    return config_->Take();
  }
  // The same, and takes nothing; the next one makes the descriptor readable anew.
  void AwaitReading() const {
    pollfd readable{.fd = config_->fd(), .events = POLLIN, .revents = 0};
    EXPECT_EQ(poll(&readable, 1, 10'000), 1);
    eventfd_t count = 0;
    eventfd_read(config_->fd(), &count);
  }
  [[nodiscard]] std::vector<std::string> Thresholds() const {
    std::vector<std::string> texts;
    for (const Threshold& threshold : config_->config().eviction.thresholds) {
      texts.push_back(ThresholdText(threshold.value));
    }
    return texts;
  }
  static Observations Memory(std::int64_t capacity) {
    Observations seen;
    seen[Signal::kMemoryAvailable] = Observation{.available = 0, .capacity = capacity, .time = {}};
    return seen;
  }

  FakeClock clock_{Instant(seconds(1000))};
  std::vector<std::string> lines_;
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
  ConfigReading next_;
  std::atomic<int> looks_ = 0;
  std::optional<ConfigInForce> config_;
};

TEST_F(TheConfigInForce, TheKubeletsIsLookedAtWhenItIsDue) {
  Begin("356Mi", "100Mi");
  EXPECT_EQ(config_->NextDeadline(), clock_.Now() + minutes(1)) << "it has just been read";
  clock_.Advance(seconds(59));
  config_->Advance(clock_.Now());
  EXPECT_EQ(looks_, 0);
  next_ = Reading("756Mi", "500Mi");
  clock_.Advance(seconds(1));
  config_->Advance(clock_.Now());
  const auto taken = TakeNext();
  ASSERT_TRUE(taken);
  EXPECT_THAT(taken->changed, ElementsAre("eviction thresholds"));
  EXPECT_THAT(Thresholds(), ElementsAre("756Mi"));
  EXPECT_EQ(config_->NextDeadline(), clock_.Now() + minutes(1));
}

TEST_F(TheConfigInForce, AThresholdThatLiesAboveNoMoreIsSaid) {
  Begin("500Mi", "100Mi");
  next_ = Reading("500Mi", "1Gi");
  next_.not_above_kubelet = CheckAboveKubelet(Hard("500Mi"), Hard("1Gi"), {});
  EXPECT_TRUE(config_->Ask());
  ASSERT_TRUE(TakeNext());
  EXPECT_THAT(lines_, Contains(HasSubstr("must be more than 1Gi, which is the kubelet's")));
}

TEST_F(TheConfigInForce, OfSeveralReadingsTheLastWithoutFaultsHoldsAndEachFaultIsSaid) {
  const ConfigReading valid = Reading("756Mi", "500Mi");
  ConfigReading faulty = Reading("956Mi", "500Mi");
  faulty.faults.push_back({.key = "http", .message = "the certificate cannot be read"});
  using Readings = std::vector<ConfigReading>;
  for (const Readings& readings : {Readings{valid, faulty}, {faulty, valid}, {faulty}}) {
    Begin("356Mi", "100Mi");
    lines_.clear();
    for (const ConfigReading& reading : readings) {
      next_ = reading;
      EXPECT_TRUE(config_->Ask());
      AwaitReading();
    }
    const auto taken = config_->Take();
    ASSERT_TRUE(taken);
    EXPECT_THAT(lines_, Contains(HasSubstr("the certificate cannot be read")));
    EXPECT_EQ(taken->faulty, readings.size() == 1);
    EXPECT_THAT(Thresholds(), ElementsAre(taken->faulty ? "356Mi" : "756Mi"));
  }
}

TEST_F(TheConfigInForce, ThePodsKeepTheirThresholdWhileTheirGroupKeepsItsLimit) {
  AgentConfig running;
  running.eviction.thresholds =
      ParseThresholds({.hard = {{"memory.available", "100Mi"}}, .enforce_pods = true}).thresholds;
  config_.emplace(running, NodeIdentity{}, ConfigReaders{.again = [this] { return next_; }}, log_);
  next_.config.reservation.enforce_pods = false;
  next_.config.eviction.thresholds = Hard("200Mi");
  EXPECT_TRUE(config_->Ask());
  ASSERT_TRUE(TakeNext());
  EXPECT_THAT(Thresholds(), ElementsAre("100Mi", "100Mi"));
  EXPECT_EQ(config_->config().eviction.thresholds.back().signal,
            Signal::kAllocatableMemoryAvailable);
  EXPECT_THAT(lines_, Contains(AllOf(HasSubstr("only when the agent is restarted"),
                                     HasSubstr("enforceNodeAllocatable"))));
}

TEST_F(TheConfigInForce, ADryRunEndsWithARestartWhichIsSaidWhereTheFileHadIt) {
  for (const bool of_command_line : {false, true}) {
    lines_.clear();
    AgentConfig running;
    running.dry_run = true;
    config_.emplace(running, NodeIdentity{},
                    ConfigReaders{.again = [this] { return next_; }, .dry_run = of_command_line},
                    log_);
    next_.config.dry_run = false;
    EXPECT_TRUE(config_->Ask());
    ASSERT_TRUE(TakeNext());
    EXPECT_TRUE(config_->config().dry_run) << "until the restart";
    EXPECT_EQ(lines_.size(), of_command_line ? 1U : 2U);
    EXPECT_THAT(lines_.back(), HasSubstr(of_command_line ? "was read again" : "dryRun"));
  }
}

TEST_F(TheConfigInForce, AShareThatTurnsOutNotToLieAboveIsSaidOnce) {
  Begin("10%", "500Mi");
  config_->Learn(Memory(std::int64_t{8} << 30));
  EXPECT_THAT(lines_, IsEmpty());
  EXPECT_TRUE(config_->TakeMemory(std::uint64_t{4} << 30));
  config_->Learn(Memory(std::int64_t{4} << 30));
  config_->Learn(Memory(std::int64_t{4} << 30));
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("must be more than 500Mi")));
  EXPECT_THAT(Thresholds(), ElementsAre("10%"));
}

TEST_F(TheConfigInForce, AReloadedThresholdThatOnlyACapacityShowsNotToLieAboveIsSaid) {
  Begin("10%", "100Mi");
  config_->Learn(Memory(std::int64_t{8} << 30));
  next_ = Reading("1%", "100Mi");
  EXPECT_TRUE(config_->Ask());
  ASSERT_TRUE(TakeNext());
  EXPECT_THAT(lines_, Contains(HasSubstr("must be more than 100Mi, which is the kubelet's")));
}

TEST_F(TheConfigInForce, AThresholdThatIsAlwaysMetIsSaidOnceWhenTheCapacityIsKnown) {
  AgentConfig running;
  running.eviction.thresholds =
      ParseThresholds({.hard = {{"memory.available", "9Gi"}, {"pid.available", "5"}}}).thresholds;
  config_.emplace(running, NodeIdentity{}, ConfigReaders{}, log_);
  for (int i = 0; i < 2; ++i) config_->Learn(Memory(std::int64_t{8} << 30));
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("evictionHard[memory.available]")));
}

}  // namespace
}  // namespace jettison
