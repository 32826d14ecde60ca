#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/documents/documents.h"
#include "core/config/agent_config.h"
#include "core/config/read_config.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

ConfigReading Read(const std::string& hooks) {
  const auto documents = ParseDocuments(
      "apiVersion: jettison.io/v1alpha1\nkind: JettisonConfiguration\nhooks:\n" + hooks);
  if (!documents) {
    ADD_FAILURE() << documents.error().message;
    return {};
  }
  return ReadConfig({{"/etc/j.yaml", documents->front()}});
}

std::vector<std::string> FaultsOf(const std::string& hooks) {
  std::vector<std::string> lines;
  for (const Fault& fault : Read(hooks).faults) lines.push_back(Describe(fault));
  return lines;
}

TEST(Hooks, AreProgramsAndAddresses) {
  const ConfigReading reading = Read(
      "- name: pager\n  when: [AfterEviction]\n  exec: [/bin/page, --now]\n  timeout: 2s\n"
      "- url: http://127.0.0.1:9000/told\n  minInterval: 100ms\n");
  EXPECT_THAT(reading.faults, IsEmpty());
  ASSERT_EQ(reading.config.hooks.size(), 2U);
  const HookConfig& pager = reading.config.hooks[0];
  EXPECT_EQ(pager.name, "pager");
  EXPECT_THAT(pager.when, ElementsAre(Occasion::kAfterEviction));
  EXPECT_THAT(pager.exec, ElementsAre("/bin/page", "--now"));
  EXPECT_EQ(pager.timeout, seconds(2));
  const HookConfig& address = reading.config.hooks[1];
  EXPECT_EQ(address.name, "hook 2");
  EXPECT_EQ(address.when.size(), kAllOccasions.size()) << "for every occasion by default";
  EXPECT_EQ(address.url, "http://127.0.0.1:9000/told");
  EXPECT_EQ(address.min_interval, milliseconds(100));
}

TEST(Hooks, EveryFaultIsToldAtOnce) {
  EXPECT_THAT(
      FaultsOf("- exec: [page]\n  when: [Eviction]\n- url: ftp://there\n- timeout: 1h\n- 7\n"),
      ElementsAre(HasSubstr("hooks[3]"), HasSubstr("hooks[0].when"), HasSubstr("hooks[0].exec"),
                  HasSubstr("hooks[1].url"),
                  AllOf(HasSubstr("hooks[2].exec"), HasSubstr("exec or url must be set")),
                  HasSubstr("hooks[2].timeout")));
}

TEST(Hooks, OfTwoWhomToTellEachWantsItsOwn) {
  EXPECT_THAT(FaultsOf("- exec: [/bin/page]\n  url: http://there/\n"),
              ElementsAre(HasSubstr("use two hooks")));
}

TEST(Hooks, AFaultOfAUrlTellsNoSecret) {
  const auto faults = FaultsOf("- url: http://me:sec/ret@host/\n");
  EXPECT_THAT(faults, ElementsAre(AllOf(HasSubstr("/etc/j.yaml"), HasSubstr("hooks[0].url"),
                                        HasSubstr("%2F"), Not(HasSubstr("sec")))));
}

TEST(Hooks, AreNamedInWhatIsMisspelt) {
  EXPECT_THAT(FaultsOf("- exec: [/bin/page]\n  timeuot: 1s\n"),
              ElementsAre(AllOf(HasSubstr("hooks[0].timeuot"), HasSubstr("timeout"))));
}

TEST(Hooks, AreEightAtMost) {
  std::string hooks;
  for (int i = 0; i < 9; ++i) hooks += "- exec: [/bin/page]\n";
  EXPECT_THAT(FaultsOf(hooks), ElementsAre(HasSubstr("at most 8")));
}

TEST(Hooks, AreAList) {
  EXPECT_THAT(FaultsOf("  exec: [/bin/page]\n"), ElementsAre(HasSubstr("must be a list")));
}

}  // namespace
}  // namespace jettison
