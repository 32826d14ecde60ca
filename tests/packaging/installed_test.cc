// What is installed with the program: its image (scripts/image.sh, on a program that is small), its
// plugin for kubectl (with a kubectl that repeats what it is asked), and its unit of systemd with
// the drop-in that takes its limits back.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/live/program.h"
#include "tests/packaging/objects.h"

namespace jettison {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Image : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(folder_.path() + "/a build");
    std::filesystem::copy_file("/bin/true", folder_.path() + "/a build/jettison");
  }
  std::string Shell(const std::string& command) {
    Program shell({"/bin/sh", "-c", "cd '" + folder_.path() + "' && " + command}, {});
    EXPECT_EQ(shell.Wait(), 0) << command << "\n" << shell.output();
    return shell.output();
  }
  // With the PATH of an ordinary user of Debian, which lacks the folders of ldconfig.
  std::string Make(const std::string& arguments) {
    return Shell(
        fmt::format("JETTISON_BUILD=\"$PWD/a build\" PATH=/usr/local/bin:/usr/bin:/bin "
                    "{}/scripts/image.sh {}",
                    Quoted(JETTISON_SOURCE), arguments));
  }

  TemporaryFolder folder_;
};

TEST_F(Image, IsTheSameBytesEachTime) {
  Make("one.tar");
  Shell("touch -d 2001-01-01 'a build/jettison'");
  Make("deeper/two.tar");
  Shell("cmp one.tar deeper/two.tar");
}

TEST_F(Image, HoldsTheProgramWithWhatItLoadsAndIsNamed) {
  EXPECT_THAT(Make("image.tar registry.example/jettison:7"),
              HasSubstr("registry.example/jettison:7"));
  Shell("tar -xf image.tar");
  EXPECT_THAT(Shell("cat manifest.json index.json"),
              AllOf(HasSubstr(R"("RepoTags":["registry.example/jettison:7"])"),
                    HasSubstr(R"("io.containerd.image.name":"registry.example/jettison:7")")));
  EXPECT_THAT(Shell("for blob in blobs/sha256/*; do echo \"$(basename $blob)  $blob\"; done | "
                    "sha256sum --check"),
              Not(HasSubstr("FAILED")));
  EXPECT_THAT(Shell("for blob in blobs/sha256/*; do tar -tf $blob 2>/dev/null || true; done"),
              AllOf(HasSubstr("./usr/bin/jettison\n"), HasSubstr("libc.so.6\n"),
                    HasSubstr("ld-linux"), HasSubstr("./etc/passwd\n")));
}

// Without them no hook with https:// reaches anybody.
TEST_F(Image, HoldsTheCertificateAuthoritiesOfTheSystem) {
  Make("image.tar");
  Shell("tar -xf image.tar && mkdir root");
  Shell("for blob in blobs/sha256/*; do tar -xf $blob -C root 2>/dev/null || true; done");
  Shell("cmp root/etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt");
  EXPECT_THAT(Shell("cat root/etc/ssl/certs/ca-certificates.crt"), HasSubstr("BEGIN CERTIFICATE"));
}

class KubectlPlugin : public testing::Test {
 protected:
  KubectlPlugin() {
    // One agent, on node-1.
    std::ofstream(kubectl_) << "#!/bin/sh\n"
                               "case \"$*\" in\n"
                               "*get\\ pods*spec.nodeName=node-1,*) echo pod/jettison-abcde ;;\n"
                               "*get\\ pods*) ;;\n"
                               "*) echo \"kubectl $*\" ;;\n"
                               "esac\n";
    std::filesystem::permissions(kubectl_, std::filesystem::perms::owner_all);
  }
  // Its exit status; `output_` is what was said.
  int Run(const std::string& arguments) {
    Program program({"/bin/sh", "-c",
                     fmt::format("KUBECTL={} sh {}/packaging/kubernetes/kubectl-jettison {}",
                                 Quoted(kubectl_), Quoted(JETTISON_SOURCE), arguments)},
                    {});
    const int status = program.Wait();
    output_ = program.output();
    return status;
  }

  TemporaryFolder folder_;
  std::string kubectl_ = folder_.path() + "/kubectl";
  std::string output_;
};

TEST_F(KubectlPlugin, AsksTheAgentOfTheNode) {
  constexpr const char* kExec =
      "kubectl --namespace jettison-system exec pod/jettison-abcde --container agent -- "
      "/usr/bin/jettison ";
  const std::pair<const char*, const char*> rows[] = {
      {"explain node-1", "explain\n"},
      {"explain node-1 shop/cart --output json", "explain shop/cart --output json\n"},
      {"rank node-1", "rank\n"},
      {"rank node-1 pid.available", "rank --signal pid.available\n"},
      {"rank node-1 --output json", "rank --output json\n"},
      {"status node-1", "status\n"},
      {"shadow node-1 --output json", "shadow --output json\n"},
      {"top node-1 --count 1", "top --count 1\n"},
      {"doctor node-1 --output json",
       "doctor --config /etc/jettison/jettison.yaml --config-dir /etc/jettison/conf.d "
       "--output json\n"},
  };
  for (const auto& [asked, expected] : rows) {
    EXPECT_EQ(Run(asked), 0) << asked;
    EXPECT_EQ(output_, std::string(kExec) + expected);
  }
}

TEST_F(KubectlPlugin, TellsDoctorToReadWhatTheAgentsRunWith) {
  const std::string file =
      std::string(JETTISON_SOURCE) + "/packaging/kubernetes/base/daemonset.yaml";
  const std::string arguments = ArgumentsOf(Documents(FileText(file), file).at(0));
  ASSERT_TRUE(arguments.starts_with("run --config")) << arguments;
  EXPECT_EQ(Run("doctor node-1"), 0);
  EXPECT_THAT(output_, HasSubstr("jettison doctor" + arguments.substr(3) + "\n"));
}

TEST_F(KubectlPlugin, HandsContextAndNamespaceOn) {
  EXPECT_EQ(Run("--context far -n guards status node-1"), 0);
  EXPECT_THAT(output_, HasSubstr("kubectl --context far --namespace guards exec"));
}

TEST_F(KubectlPlugin, SaysWhatIsWrong) {
  EXPECT_EQ(Run("status node-2"), 1);
  EXPECT_THAT(output_, HasSubstr("no agent runs on node-2"));
  EXPECT_EQ(Run("dance node-1"), 2);
  EXPECT_THAT(output_, HasSubstr("there is no command dance"));
  EXPECT_EQ(Run("explain"), 2);
  EXPECT_EQ(Run("--frobnicate status node-1"), 2);
  EXPECT_EQ(Run("--help"), 0);
  EXPECT_THAT(output_, HasSubstr("Examples:\n"));
  EXPECT_THAT(output_, Not(HasSubstr("kubectl --namespace")));
}

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

TEST(Package, SaysHowToStartTheAgentWhereThereIsNoSystemdAndWhetherItEvicts) {
  if (std::filesystem::exists("/run/systemd/system")) GTEST_SKIP() << "there is systemd here";
  EXPECT_EQ(
      SaidWhenInstalled("dry run               yes: nothing is evicted or reclaimed"),
      "jettison is installed. There is no systemd here, so it was not started. Start it with:\n"
      "  jettison run --config /etc/jettison/jettison.yaml --config-dir "
      "/etc/jettison/conf.d\n"
      "Then it observes this host and evicts nothing yet.\n");
  EXPECT_THAT(SaidWhenInstalled("dry run               no"),
              HasSubstr("Then it evicts what the files in /etc/jettison let it evict.\n"));
}

}  // namespace
}  // namespace jettison
