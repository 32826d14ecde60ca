// The unit of systemd, and the drop-in that takes its limits back.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/live/program.h"
#include "tests/packaging/objects.h"

namespace jettison {
namespace {

using testing::IsEmpty;
using testing::Not;

const std::string kPackaging = std::string(JETTISON_SOURCE) + "/packaging";

std::vector<std::string> LinesOf(const std::string& file) {
  std::vector<std::string> lines;
  std::istringstream text(FileText(kPackaging + "/" + file));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

// The settings in a file, from the line that begins with `from` on.
std::set<std::string> SettingsOf(const std::string& file, const std::string& from) {
  std::set<std::string> settings;
  bool begun = false;
  for (const std::string& line : LinesOf(file)) {
    begun = begun || line.starts_with(from);
    const std::size_t name = line.find('=');
    if (begun && name != std::string::npos && !line.starts_with('#')) {
      settings.insert(line.substr(0, name));
    }
  }
  return settings;
}

TEST(Unit, SaysOfEachCapabilityWhatItIsFor) {
  std::string before;
  int capabilities = 0;
  for (const std::string& line : LinesOf("jettison.service.in")) {
    if (line.starts_with("CapabilityBoundingSet=")) {
      EXPECT_TRUE(before.starts_with("# ")) << line;
      ++capabilities;
    }
    before = line;
  }
  EXPECT_GT(capabilities, 5);
}

// systemd looks at it before each automatic restart, which is then the last one.
TEST(Unit, IsStartedAgainWhereItsConfigurationIsMissingForAMoment) {
  for (const std::string& line : LinesOf("jettison.service.in")) {
    EXPECT_FALSE(line.starts_with("ConditionPathExists=")) << line;
  }
}

TEST(Unit, IsTakenBackAsAWholeByTheDropIn) {
  auto limits = SettingsOf("jettison.service.in", "ProtectSystem=");
  for (const char* other : {"SystemCallErrorNumber", "WantedBy"}) limits.erase(other);
  EXPECT_THAT(limits, Not(IsEmpty()));
  EXPECT_EQ(SettingsOf("runs-pods.conf", "[Service]"), limits);
}

TEST(Unit, IsRatedNoMoreExposedThanItsCapabilitiesMakeIt) {
  const TemporaryFolder folder;
  const std::string unit = folder.path() + "/jettison.service";
  std::ofstream(unit) << std::regex_replace(FileText(kPackaging + "/jettison.service.in"),
                                            std::regex("@JETTISON_[A-Z]+@"), "/usr");
  Program analyze(
      {"/bin/sh", "-c", fmt::format("systemd-analyze security --offline=true --no-pager {}", unit)},
      {});
  if (analyze.Wait() != 0) GTEST_SKIP() << "no systemd-analyze: " << analyze.output();
  std::smatch rating;
  const std::string said = analyze.output();
  ASSERT_TRUE(std::regex_search(said, rating, std::regex("exposure level .*: ([0-9.]+)"))) << said;
  EXPECT_LE(std::stod(rating[1]), 3.3) << said;
}

// What is said after an installation where there is no systemd. The package's helpers and the agent
// are stubs, so that nothing of this machine is changed; the agent says this of its configuration.
std::string SaidWhenInstalled(const std::string& configuration) {
  const TemporaryFolder folder;
  for (const char* helper :
       {"deb-systemd-helper", "deb-systemd-invoke", "systemctl", "rm", "jettison"}) {
    const std::string stub = fmt::format("{}/{}", folder.path(), helper);
    std::ofstream(stub) << "#!/bin/sh\n";
    std::filesystem::permissions(stub, std::filesystem::perms::owner_all);
  }
  std::ofstream(folder.path() + "/jettison") << "#!/bin/sh\necho '" << configuration << "'\n";
  Program postinst({"/bin/sh", "-c",
                    fmt::format("PATH={}:$PATH exec sh {}/debian/postinst configure",
                                Quoted(folder.path()), Quoted(kPackaging))},
                   {});
  EXPECT_EQ(postinst.Wait(), 0);
  return postinst.output();
}

TEST(Package, SaysHowToStartTheAgentWhereThereIsNoSystemd) {
  if (std::filesystem::exists("/run/systemd/system")) GTEST_SKIP() << "there is systemd here";
  EXPECT_EQ(
      SaidWhenInstalled("dry run               yes: nothing is evicted or reclaimed"),
      "jettison is installed. There is no systemd here, so it was not started. Start it with:\n"
      "  jettison run --config /etc/jettison/jettison.yaml --config-dir "
      "/etc/jettison/conf.d\n"
      "Then it observes this host and evicts nothing yet.\n");
}

TEST(Package, SaysThatTheAgentEvictsWhereAKeptFileLetsIt) {
  if (std::filesystem::exists("/run/systemd/system")) GTEST_SKIP() << "there is systemd here";
  EXPECT_THAT(SaidWhenInstalled("dry run               no"),
              testing::HasSubstr("Then it evicts what the files in /etc/jettison let it evict.\n"));
}

}  // namespace
}  // namespace jettison
