#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "agent/cluster/link/cluster_link.h"
#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const char* const kRule = R"(- {apiGroups: [""], resources: [pods], verbs: [list]})";

class ClusterStateLogTest : public testing::Test {
 protected:
  // The lines that this state leads to.
  std::vector<std::string> Told(const kube::PodWatchState& state) {
    told_.Take(state, clock_.Now());
    return std::exchange(lines_, {});
  }
  [[nodiscard]] kube::PodWatchState Away() const {
    return {.away_since = clock_.Now(),
            .fault = kube::PodWatchFault{.error = {ErrorCode::kUnavailable, "no route"}}};
  }
  [[nodiscard]] static kube::PodWatchState Refused(const std::string& why) {
    return {.fault = kube::PodWatchFault{.error = {ErrorCode::kPermissionDenied, why},
                                         .is_refusal = true,
                                         .missing_rule = kRule}};
  }

  FakeClock clock_{Instant(std::chrono::hours(500'000))};
  std::vector<std::string> lines_;
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
  ClusterStateLog told_{log_};
};

TEST_F(ClusterStateLogTest, ARefusalIsSaidOnceWithTheRuleThatIsMissing) {
  EXPECT_THAT(Told(Refused("HTTP 403")),
              ElementsAre(AllOf(HasSubstr("cannot be read"), HasSubstr("HTTP 403"),
                                HasSubstr("verbs: [list]"))));
  EXPECT_THAT(Told(Refused("HTTP 403")), IsEmpty());
  EXPECT_THAT(Told(Refused("HTTP 400")), ElementsAre(HasSubstr("HTTP 400")));
  EXPECT_THAT(Told({.has_listed = true}), ElementsAre(HasSubstr("were read from the API server")));
  clock_.Advance(ClusterStateLog::kSayAgainAfter);
  EXPECT_THAT(Told(Refused("HTTP 403")), ElementsAre(HasSubstr("HTTP 403")));
  EXPECT_THAT(Told({.has_listed = true}), ElementsAre(HasSubstr("can be read again")));
}

TEST_F(ClusterStateLogTest, AServerThatComesBackAndRefusesIsNotSaidToAnswerAgain) {
  EXPECT_THAT(Told(Away()), ElementsAre(HasSubstr("does not answer")));
  EXPECT_THAT(Told(Away()), IsEmpty());
  EXPECT_THAT(Told(Refused("HTTP 403")), ElementsAre(HasSubstr("cannot be read")));
  EXPECT_THAT(Told({}), ElementsAre(HasSubstr("answers again")));
}

TEST_F(ClusterStateLogTest, AServerThatIsNotTrustedIsNotSaidToBeAway) {
  kube::PodWatchState state = Away();
  state.fault->is_untrusted = true;
  EXPECT_THAT(Told(state), ElementsAre(AllOf(HasSubstr("does not trust the certificate"),
                                             HasSubstr("certificate-authority"))));
  EXPECT_THAT(Told(state), IsEmpty());
  EXPECT_THAT(Told(Away()), ElementsAre(HasSubstr("does not answer")));
}

TEST_F(ClusterStateLogTest, AFaultThatComesAndGoesIsSaidOnceAnHour) {
  for (int i = 0; i < 10; ++i) {
    const std::vector<std::string> lines = Told(Refused("nonsense"));
    EXPECT_EQ(lines.size(), i == 0 ? 1U : 0U);
    EXPECT_EQ(Told({}).size(), i == 0 ? 1U : 0U);
  }
}

TEST_F(ClusterStateLogTest, ATokenThatCannotBeReadIsSaidOnce) {
  const kube::PodWatchState state{.token_fault = Error{ErrorCode::kNotFound, "no such file"}};
  EXPECT_THAT(Told(state), ElementsAre(AllOf(HasSubstr("token"), HasSubstr("no such file"))));
  EXPECT_THAT(Told(state), IsEmpty());
}

}  // namespace
}  // namespace jettison
