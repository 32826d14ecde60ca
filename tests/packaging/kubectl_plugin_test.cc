// packaging/kubernetes/kubectl-jettison, with a kubectl that repeats what it is asked.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "tests/live/program.h"
#include "tests/packaging/kustomized.h"
#include "tests/packaging/objects.h"

namespace jettison {
namespace {

using testing::HasSubstr;
using testing::Not;

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

}  // namespace
}  // namespace jettison
