#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "cli/ask/config_files.h"
#include "core/thresholds/threshold_settings.h"
#include "kernel/files/files.h"
#include "kernel/files/testing/temporary_folder.h"
#include "sources/kubernetes/test_bed/fake_api_server.h"

namespace jettison {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> Described(const Faults& faults) {
  std::vector<std::string> lines;
  for (const Fault& fault : faults) lines.push_back(Describe(fault));
  return lines;
}
std::string MemoryThreshold(const ConfigReading& reading) {
  for (const Threshold& threshold : reading.config.eviction.thresholds) {
    if (threshold.signal == Signal::kMemoryAvailable) return ThresholdText(threshold.value);
  }
  return "none";
}

class AskingKubelet : public testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& text) const {
    const std::string path = folder_.path() + "/" + name;
    std::ofstream(path) << text;
    return path;
  }
  std::string WriteKubelet(const std::string& text) const {
    return Write("kubelet.yaml",
                 "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n" + text);
  }
  // Our configuration, with further members of `kubernetes`.
  std::string WriteOurs(const std::string& kubernetes, const std::string& more = "") const {
    return Write("jettison.yaml",
                 "apiVersion: jettison.io/v1alpha1\nkind: JettisonConfiguration\n"
                 "source: kubernetes\nnodeName: bed\nkubernetes: {" +
                     kubernetes + "}\n" + more);
  }
  std::string Kubeconfig() {
    return Write("kubeconfig",
                 "current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n"
                 "clusters: [{name: c, cluster: {server: '" +
                     server_.url() + "'}}]\nusers: [{name: u, user: {}}]\n");
  }
  KubeletAnswer AskServer() {
    return AskKubelet({.file = "", .kubeconfig = Kubeconfig(), .node = "bed"});
  }

  kernel::TemporaryFolder folder_;
  kube::FakeApiServer server_;
};

TEST_F(AskingKubelet, AFileThatIsNoneOfAKubeletIsAFaultWithItsName) {
  struct Row {
    const char* text;
    const char* fault;
  };
  for (const Row& row : {
           Row{"", "must hold exactly one document, the kubelet's own, of kind Kubelet"},
           Row{"kind: JettisonConfiguration\n", "must hold exactly one document"},
           Row{"kind: KubeletConfiguration\n---\nkind: KubeletConfiguration\n",
               "must hold exactly one"},
           Row{"a: [", "the kubelet's configuration is faulty: line 1: this is not valid YAML"},
       }) {
    const std::string path = folder_.path() + "/theirs.yaml";
    Write("theirs.yaml", row.text);
    const auto answer = AskKubelet({.file = path, .kubeconfig = "", .node = ""});
    EXPECT_FALSE(answer.side.document);
    EXPECT_THAT(Described(answer.faults), ElementsAre(HasSubstr(path + ": ")));
    EXPECT_THAT(Described(answer.faults), ElementsAre(HasSubstr(row.fault)));
    EXPECT_FALSE(answer.unread);
  }
}

// As a kubelet starts with it.
TEST_F(AskingKubelet, OfAKeyThatAFileHasTwiceTheLastOneCountsAndThatIsAWarning) {
  const std::string theirs = WriteKubelet(
      "evictionHard: {memory.available: 1Gi}\nmaxPods: 20\n"
      "evictionHard: {memory.available: 2Gi, memory.available: 3Gi}\n");
  const ConfigReading reading =
      ConfigRereader({{WriteOurs("kubeletConfiguration: " + theirs)}}).ReadFirst();
  EXPECT_THAT(Described(reading.faults), IsEmpty());
  EXPECT_EQ(MemoryThreshold(reading), "3328Mi");
  EXPECT_THAT(Described(reading.warnings),
              AllOf(Contains(HasSubstr(theirs + ": line 1: the map that begins here has the key "
                                                "\"evictionHard\" twice; the last one counts")),
                    Contains(HasSubstr(
                        "line 5: the map that begins here has the key \"memory.available\""))));
  const ConfigReading ours =
      ConfigRereader({{WriteOurs("kubeletConfiguration: " + theirs, "source: kubernetes\n")}})
          .ReadFirst();
  EXPECT_THAT(Described(ours.faults), ElementsAre(HasSubstr("has the key \"source\" twice")));
}

TEST_F(AskingKubelet, WhatCannotBeHadIsNamedAndMayBeHadLater) {
  const std::string none = folder_.path() + "/none.yaml";
  const std::string kubeconfig = Kubeconfig();
  server_.Stop();
  const auto faults_of = [&](const std::string& way) {
    const ConfigReading reading =
        ConfigRereader({{WriteOurs(fmt::format("{}, kubeconfig: {}", way, kubeconfig))}})
            .ReadFirst();
    EXPECT_TRUE(reading.unread);
    return Described(reading.faults);
  };
  EXPECT_THAT(faults_of("kubeletConfiguration: " + none),
              ElementsAre(AllOf(HasSubstr("nothing is evicted on a guess"),
                                HasSubstr("none.yaml: cannot be read: No such file"))));
  EXPECT_THAT(faults_of("jobs: kill"), ElementsAre(AllOf(HasSubstr("nothing is evicted on a guess"),
                                                         HasSubstr("configz of node bed: "))));
}

TEST_F(AskingKubelet, TheServerIsAskedAtEachTenthLookAndWhatIsInForceStaysWhileItIsAway) {
  ConfigRereader rereader({{WriteOurs("kubeconfig: " + Kubeconfig())}});
  EXPECT_THAT(Described(rereader.ReadFirst().faults), IsEmpty());
  const std::size_t asked = server_.CountOf("GET /api/v1/nodes/bed/proxy/configz");
  for (int look = 0; look < 20; ++look) EXPECT_FALSE(rereader.LookAtKubelet());
  EXPECT_EQ(server_.CountOf("GET /api/v1/nodes/bed/proxy/configz"), asked + 2);
  server_.Stop();
  EXPECT_THAT(Described(rereader.ReadAgain().faults),
              ElementsAre(HasSubstr("the kubelet's configuration cannot be read: configz")));
}

TEST_F(AskingKubelet, InAnAnswerAnAbsentEvictionHardMeansNone) {
  server_.MisbehaveOnce({.part = "configz",
                         .status = 200,
                         .body = R"({"kubeletconfig":{"kind":"KubeletConfiguration"}})"});
  const KubeletAnswer answer = AskServer();
  ASSERT_TRUE(answer.side.document);
  const Value* const hard = answer.side.document->document.Find("evictionHard");
  ASSERT_NE(hard, nullptr);
  EXPECT_THAT(*hard->AsMap(), IsEmpty());
}

TEST_F(AskingKubelet, AConfigurationIsReadBesideTheKubelets) {
  const std::string theirs = WriteKubelet("evictionHard: {memory.available: 1Gi}\n");
  const ConfigReading by_file =
      ConfigRereader({{WriteOurs("kubeletConfiguration: " + theirs)}}).ReadFirst();
  EXPECT_THAT(Described(by_file.faults), IsEmpty());
  EXPECT_EQ(MemoryThreshold(by_file), "1280Mi");
  const ConfigReading by_server =
      ConfigRereader({{WriteOurs("kubeconfig: " + Kubeconfig())}}).ReadFirst();
  EXPECT_THAT(Described(by_server.faults), IsEmpty());
  EXPECT_EQ(MemoryThreshold(by_server), "356Mi");
  EXPECT_EQ(by_server.config.cgroup_root, "/bed");
}

TEST_F(AskingKubelet, WhatItsConfigurationCausesIsToldFromFaultsOfOurs) {
  struct Row {
    const char* theirs;  // the whole file; null: there is none
    const char* ours;    // further lines of our KubeletConfiguration
    bool is_kubelets;
  };
  const std::string head =
      "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n";
  const std::string whole =
      head + "imageGCHighThresholdPercent: 70\nimageGCLowThresholdPercent: 60\n";
  const std::string wrong = head + "evictionHard: {memory.available: much}\n";
  const std::string half = head + "evictionHard: {memory";
  for (const Row& row : {
           Row{whole.c_str(), "evictionHard: {memory.available: much}", false},
           Row{"", "", true},
           Row{half.c_str(), "", true},
           Row{nullptr, "", true},
           Row{wrong.c_str(), "", true},
           Row{wrong.c_str(), "evictionHard: {memory.available: much}", true},
           Row{half.c_str(), "evictionSoft: {memory.available: 1Gi}", true},
           Row{whole.c_str(), "imageGCLowThresholdPercent: 75", true},
           Row{whole.c_str(), "imageGCLowThresholdPercent: 90", false},
       }) {
    const std::string theirs = folder_.path() + "/theirs.yaml";
    std::filesystem::remove(theirs);
    if (row.theirs != nullptr) Write("theirs.yaml", row.theirs);
    const std::string ours =
        WriteOurs("kubeletConfiguration: " + theirs, "---\n" + head + row.ours + "\n");
    const ConfigReading reading = ConfigRereader({{ours}}).ReadFirst();
    EXPECT_FALSE(reading.faults.empty()) << row.ours;
    EXPECT_EQ(reading.kubelet_at_fault, row.is_kubelets)
        << (row.theirs == nullptr ? "none" : row.theirs) << "\n"
        << row.ours << "\n"
        << DescribeAll(reading.faults);
  }
}

TEST_F(AskingKubelet, AChangeIsToldOnceAndOursAreAsTheyWereRead) {
  const std::string theirs = WriteKubelet("evictionHard: {memory.available: 1Gi}\n");
  ConfigRereader rereader({.files = {WriteOurs("kubeletConfiguration: " + theirs)}});
  EXPECT_THAT(Described(rereader.ReadFirst().faults), IsEmpty());
  EXPECT_FALSE(rereader.LookAtKubelet());
  EXPECT_THAT(Described(rereader.ReadAgain().faults), IsEmpty());
  EXPECT_FALSE(rereader.LookAtKubelet());
  WriteKubelet("evictionHard: {memory.available: 2Gi}\n");
  WriteOurs("this is being written");
  const auto changed = rereader.LookAtKubelet();
  ASSERT_TRUE(changed);
  EXPECT_THAT(Described(changed->faults), IsEmpty());
  EXPECT_EQ(MemoryThreshold(*changed), "2304Mi");
  EXPECT_FALSE(rereader.LookAtKubelet());
}

TEST(NodeName, IsAsConfiguredThenOfTheEnvironmentThenOfTheHost) {
  AgentConfig config;
  ASSERT_EQ(setenv("NODE_NAME", "node-7", 1), 0);
  EXPECT_NE(NodeNameOf(config), "node-7") << "of no concern without a cluster";
  config.source = SourceKind::kKubernetes;
  EXPECT_EQ(NodeNameOf(config), "node-7");
  config.node_name = "named";
  EXPECT_EQ(NodeNameOf(config), "named");
  config.node_name.clear();
  ASSERT_EQ(setenv("NODE_NAME", "", 1), 0);
  const std::string host = NodeNameOf(config);
  EXPECT_NE(host, "");
  EXPECT_THAT(host, testing::Not(testing::MatchesRegex(".*[A-Z].*")));
  ASSERT_EQ(unsetenv("NODE_NAME"), 0);
}

}  // namespace
}  // namespace jettison
