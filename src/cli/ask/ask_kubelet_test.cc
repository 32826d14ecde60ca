#include "cli/ask/ask_kubelet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "cli/ask/config_files.h"
#include "cli/ask/node_name.h"
#include "core/thresholds/threshold_text.h"
#include "kernel/files/files.h"
#include "kernel/files/temporary_folder.h"
#include "sources/kubernetes/test_bed/fake_api_server.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

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

// As with a certificate that cannot be read.
void Refuse(ConfigReading& reading) {
  reading.faults.push_back({.key = "http", .message = "the certificate cannot be read"});
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
    return AskKubelet({.file = "", .kubeconfig = Kubeconfig(), .node = "bed"}, patience_);
  }

  kernel::TemporaryFolder folder_;
  kube::FakeApiServer server_;
  std::vector<std::string> retries_;
  Patience patience_{.in_all = std::chrono::seconds(5),
                     .between = milliseconds(1),
                     .on_retry = [this](const std::string& why) { retries_.push_back(why); }};
};

TEST_F(AskingKubelet, AFileIsReadAsItIs) {
  const std::string path = WriteKubelet("evictionHard: {memory.available: 1Gi}\n");
  const KubeletAnswer answer = AskKubelet({.file = path, .kubeconfig = "", .node = ""}, patience_);
  EXPECT_THAT(Described(answer.faults), IsEmpty());
  ASSERT_TRUE(answer.side.document);
  EXPECT_EQ(answer.side.document->file, path);
  EXPECT_NE(answer.side.document->document.Find("evictionHard"), nullptr);
}

TEST_F(AskingKubelet, AFileThatIsMissingOrNoneOfAKubeletIsAFaultWithItsName) {
  struct Row {
    const char* text;  // null: there is no file
    const char* fault;
  };
  for (const Row& row : {
           Row{nullptr, "cannot be read: No such file or directory"},
           Row{"", "must hold exactly one document, the kubelet's own, of kind Kubelet"},
           Row{"kind: JettisonConfiguration\n", "must hold exactly one document"},
           Row{"kind: KubeletConfiguration\n---\nkind: KubeletConfiguration\n",
               "must hold exactly one"},
           Row{"a: [", "the kubelet's configuration is faulty: line 1: this is not valid YAML"},
       }) {
    const std::string path = folder_.path() + "/theirs.yaml";
    if (row.text != nullptr) Write("theirs.yaml", row.text);
    const auto answer = AskKubelet({.file = path, .kubeconfig = "", .node = ""}, patience_);
    EXPECT_FALSE(answer.side.document);
    EXPECT_THAT(Described(answer.faults), ElementsAre(HasSubstr(path + ": ")));
    EXPECT_THAT(Described(answer.faults), ElementsAre(HasSubstr(row.fault)));
    EXPECT_EQ(answer.unread, row.text == nullptr);
  }
}

TEST_F(AskingKubelet, TheApiServerTellsWhatTheKubeletRunsBy) {
  const KubeletAnswer answer = AskServer();
  ASSERT_TRUE(answer.side.document) << answer.side.why_not;
  EXPECT_EQ(answer.side.document->file, "configz of node bed");
  EXPECT_NE(answer.side.document->document.Find("cgroupRoot"), nullptr);
  EXPECT_THAT(retries_, IsEmpty());
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

TEST_F(AskingKubelet, AServerThatIsAwayIsAskedAgainAndThatIsSaid) {
  server_.MisbehaveOnce({.part = "configz", .status = 503, .body = "{}"});
  server_.MisbehaveOnce({.part = "configz", .status = 503, .body = "{}"});
  EXPECT_TRUE(AskServer().side.document);
  EXPECT_THAT(retries_, SizeIs(2));
  EXPECT_THAT(retries_.front(), HasSubstr("configz of node bed: "));
}

TEST_F(AskingKubelet, AServerThatStaysAwayIsWhyItIsNotKnown) {
  const std::string kubeconfig = Kubeconfig();
  server_.Stop();
  patience_.in_all = milliseconds(50);
  const auto answer = AskKubelet({.file = "", .kubeconfig = kubeconfig, .node = "bed"}, patience_);
  EXPECT_FALSE(answer.side.document);
  EXPECT_THAT(Described(answer.faults), IsEmpty());
  EXPECT_THAT(answer.side.why_not, HasSubstr("Connection refused"));
  EXPECT_TRUE(answer.unread);
}

TEST_F(AskingKubelet, ARightThatIsNotGivenIsNotAskedForAgain) {
  server_.Change([](kube::FakeStore& store) {
    store.node()["status"]["addresses"][0]["address"] = "127.0.0.1";
    store.node()["status"]["daemonEndpoints"]["kubeletEndpoint"]["Port"] = 1;
  });
  server_.MisbehaveOnce({.part = "configz",
                         .status = 403,
                         .body = R"({"kind":"Status","status":"Failure","reason":"Forbidden",)"
                                 R"("message":"nodes \"bed\" is forbidden","code":403})"});
  const KubeletAnswer answer = AskServer();
  EXPECT_THAT(retries_, IsEmpty());
  EXPECT_THAT(answer.side.why_not, HasSubstr("is forbidden"));
  EXPECT_THAT(answer.side.why_not, HasSubstr("from the kubelet itself: https://127.0.0.1:1: "));
  EXPECT_THAT(answer.side.why_not, HasSubstr("nodes/configz"));
  EXPECT_TRUE(answer.unread) << "that kubelet does not answer at the moment";
}

TEST_F(AskingKubelet, AKubeconfigWithFaultsIsNamed) {
  const auto answer =
      AskKubelet({.file = "", .kubeconfig = folder_.path() + "/none", .node = ""}, patience_);
  EXPECT_THAT(Described(answer.faults), ElementsAre(HasSubstr("/none")));
}

TEST_F(AskingKubelet, AConfigurationIsReadBesideTheKubelets) {
  const std::string theirs = WriteKubelet("evictionHard: {memory.available: 1Gi}\n");
  const ConfigReading by_file =
      ReadConfigBesideKubelet({{WriteOurs("kubeletConfiguration: " + theirs)}}, patience_);
  EXPECT_THAT(Described(by_file.faults), IsEmpty());
  EXPECT_EQ(MemoryThreshold(by_file), "1280Mi");
  const ConfigReading by_server =
      ReadConfigBesideKubelet({{WriteOurs("kubeconfig: " + Kubeconfig())}}, patience_);
  EXPECT_THAT(Described(by_server.faults), IsEmpty());
  EXPECT_EQ(MemoryThreshold(by_server), "356Mi");
  EXPECT_EQ(by_server.config.cgroup_root, "/bed");
}

TEST_F(AskingKubelet, WithoutTheKubeletsTheAgentDoesNotBegin) {
  const std::string ours = WriteOurs("kubeconfig: " + Kubeconfig());
  server_.Stop();
  patience_.in_all = milliseconds(10);
  const ConfigReading reading = ReadConfigBesideKubelet({{ours}}, patience_);
  EXPECT_THAT(Described(reading.faults), ElementsAre(HasSubstr("nothing is evicted on a guess")));
  EXPECT_TRUE(reading.unread) << "the agent is started again until the server answers";
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
    const ConfigReading reading = ReadConfigBesideKubelet({{ours}}, patience_);
    EXPECT_FALSE(reading.faults.empty()) << row.ours;
    EXPECT_EQ(reading.kubelet_at_fault, row.is_kubelets)
        << (row.theirs == nullptr ? "none" : row.theirs) << "\n"
        << row.ours << "\n"
        << DescribeAll(reading.faults);
  }
}

// As an agent that ran, ended, and starts while the API server is away.
class KeptKubelet : public AskingKubelet {
 protected:
  // A server is asked once, and may be slow; nobody waits for one that is away.
  KeptKubelet() { patience_.between = patience_.in_all; }
  void Keep() {
    ConfigRereader before(sources_, patience_);
    EXPECT_THAT(Described(before.ReadFirst().faults), IsEmpty());
    before.KeepIn(folder_.path(),
                  [this](const Error& error) { complaints_.push_back(error.message); });
  }
  // The next answer is another one.
  void ChangeTheKubelets() {
    std::string text = kernel::ReadFile(file_).value_or("");
    text.erase(0, text.find('\n') + 1);
    const std::string_view theirs = "100Mi";
    text.replace(text.find(theirs), theirs.size(), "1Gi");
    server_.MisbehaveOnce({.part = "configz", .status = 200, .body = text});
  }

  const std::string file_ = folder_.path() + "/kubelet-configuration";
  ConfigSources sources_{
      .files = {WriteOurs("kubeconfig: " + Kubeconfig(), "root: " + folder_.path() + "\n")}};
  std::vector<std::string> complaints_;
};

TEST_F(KeptKubelet, StandsInForAServerThatIsAwayAndSaysHowOldItIs) {
  Keep();
  EXPECT_THAT(complaints_, IsEmpty());
  EXPECT_EQ(std::filesystem::status(file_).permissions(), std::filesystem::perms(0600));
  server_.Stop();
  std::filesystem::last_write_time(
      file_, std::filesystem::file_time_type::clock::now() - std::chrono::hours(3));
  ConfigRereader next(sources_, patience_);
  const ConfigReading reading = next.ReadFirst();
  EXPECT_THAT(Described(reading.faults), IsEmpty());
  EXPECT_EQ(MemoryThreshold(reading), "356Mi");
  EXPECT_EQ(reading.config.cgroup_root, "/bed");
  EXPECT_THAT(Described(reading.warnings),
              Contains(AllOf(HasSubstr("Connection refused"), HasSubstr("3h0m0s ago"))));
  // The present one is taken as soon as the server answers.
  server_.Start();
  ChangeTheKubelets();
  next.KeepIn(folder_.path(), nullptr);
  const auto present = next.LookAtKubelet();
  ASSERT_TRUE(present);
  EXPECT_EQ(MemoryThreshold(*present), "1280Mi");
  server_.Stop();
  EXPECT_EQ(MemoryThreshold(ConfigRereader(sources_, patience_).ReadFirst()), "1280Mi");
}

// The node is not guarded meanwhile.
TEST_F(KeptKubelet, AServerThatIsAwayIsNotWaitedForWhereAnAnswerWasKept) {
  Keep();
  server_.Stop();
  int retries = 0;
  const Patience usual{.on_retry = [&retries](const std::string&) { ++retries; }};
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(MemoryThreshold(ConfigRereader(sources_, usual).ReadFirst()), "356Mi");
  EXPECT_EQ(retries, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST_F(KeptKubelet, IsInForceAfterAReadingThatIsRefusedSoTheServerIsAskedAtTheNextLook) {
  Keep();
  server_.Stop();
  ConfigRereader next(sources_, patience_);
  EXPECT_EQ(MemoryThreshold(next.ReadFirst()), "356Mi");
  server_.Start();
  EXPECT_THAT(Described(next.ReadAgain(Refuse).faults), SizeIs(1));
  ChangeTheKubelets();
  const auto present = next.LookAtKubelet();
  ASSERT_TRUE(present);
  EXPECT_EQ(MemoryThreshold(*present), "1280Mi");
}

TEST_F(KeptKubelet, WhatCannotBeKeptIsSaidOnce) {
  std::filesystem::create_directory(file_);
  Keep();
  EXPECT_THAT(complaints_, ElementsAre(HasSubstr(file_)));
  ConfigRereader running(sources_, patience_);
  EXPECT_THAT(Described(running.ReadFirst().faults), IsEmpty());
  int said = 0;
  running.KeepIn(folder_.path(), [&said](const Error&) { ++said; });
  EXPECT_THAT(Described(running.ReadAgain().faults), IsEmpty());
  EXPECT_EQ(said, 1);
}

TEST_F(KeptKubelet, IsOfThisNodeAndWhole) {
  Keep();
  server_.Stop();
  const auto whole = kernel::ReadFile(file_);
  ASSERT_TRUE(whole);
  for (const std::string& other :
       {"other" + *whole, whole->substr(0, whole->size() / 2), std::string()}) {
    std::ofstream(file_) << other;
    EXPECT_THAT(Described(ConfigRereader(sources_, patience_).ReadFirst().faults),
                ElementsAre(HasSubstr("nothing is evicted on a guess")));
  }
}

TEST_F(KeptKubelet, IsNotUsedWhereTheServerRefuses) {
  Keep();
  server_.MisbehaveOnce({.part = "configz",
                         .status = 400,
                         .body = R"({"kind":"Status","status":"Failure","reason":"BadRequest",)"
                                 R"("message":"no","code":400})"});
  EXPECT_THAT(Described(ConfigRereader(sources_, patience_).ReadFirst().faults), SizeIs(1));
}

TEST_F(KeptKubelet, AServerIsAskedEachTenthLookOnceItHasAnswered) {
  ConfigRereader running(sources_, patience_);
  EXPECT_THAT(Described(running.ReadFirst().faults), IsEmpty());
  const std::size_t asked = server_.CountOf("GET /api/v1/nodes/bed/proxy/configz");
  for (int look = 0; look < 20; ++look) EXPECT_FALSE(running.LookAtKubelet());
  EXPECT_EQ(server_.CountOf("GET /api/v1/nodes/bed/proxy/configz"), asked + 2);
}

class LookingAtKubelet : public AskingKubelet {
 protected:
  std::string theirs_ = WriteKubelet("evictionHard: {memory.available: 1Gi}\n");
  ConfigRereader rereader_{{.files = {WriteOurs("kubeletConfiguration: " + theirs_)}}, patience_};
};

TEST_F(LookingAtKubelet, NothingIsToldWhileNothingChanges) {
  EXPECT_THAT(Described(rereader_.ReadFirst().faults), IsEmpty());
  EXPECT_FALSE(rereader_.LookAtKubelet());
  EXPECT_THAT(Described(rereader_.ReadAgain().faults), IsEmpty());
  EXPECT_FALSE(rereader_.LookAtKubelet());
}

TEST_F(LookingAtKubelet, AChangeIsToldOnceAndOursAreAsTheyWereRead) {
  EXPECT_THAT(Described(rereader_.ReadFirst().faults), IsEmpty());
  WriteKubelet("evictionHard: {memory.available: 2Gi}\n");
  WriteOurs("this is being written");
  const auto changed = rereader_.LookAtKubelet();
  ASSERT_TRUE(changed);
  EXPECT_THAT(Described(changed->faults), IsEmpty());
  EXPECT_EQ(MemoryThreshold(*changed), "2304Mi");
  EXPECT_FALSE(rereader_.LookAtKubelet());
}

TEST_F(LookingAtKubelet, AFileThatIsGoneIsToldOnce) {
  EXPECT_THAT(Described(rereader_.ReadFirst().faults), IsEmpty());
  WriteKubelet("- half");
  const auto half = rereader_.LookAtKubelet();
  ASSERT_TRUE(half);
  EXPECT_THAT(half->faults, SizeIs(1));
  EXPECT_FALSE(rereader_.LookAtKubelet());
  WriteKubelet("evictionHard: {memory.available: 1Gi}\n");
  EXPECT_FALSE(rereader_.LookAtKubelet()) << "it is what it was";
  WriteKubelet("- half");
  EXPECT_TRUE(rereader_.LookAtKubelet()) << "it is told again after it was well";
}

TEST_F(LookingAtKubelet, AChangeThatWasReadWithWhatWasRefusedIsToldByTheNextLook) {
  EXPECT_THAT(Described(rereader_.ReadFirst().faults), IsEmpty());
  WriteKubelet("evictionHard: {memory.available: 2Gi}\n");
  EXPECT_THAT(Described(rereader_.ReadAgain(Refuse).faults), SizeIs(1));
  const auto changed = rereader_.LookAtKubelet();
  ASSERT_TRUE(changed);
  EXPECT_EQ(MemoryThreshold(*changed), "2304Mi");
}

TEST_F(LookingAtKubelet, OursThatWereRefusedAreNotWhatALookBuildsOn) {
  EXPECT_THAT(Described(rereader_.ReadFirst().faults), IsEmpty());
  WriteOurs("kubeletConfiguration: " + theirs_, "logLevel: debug\n");
  EXPECT_THAT(Described(rereader_.ReadAgain(Refuse).faults), SizeIs(1));
  WriteKubelet("evictionHard: {memory.available: 2Gi}\n");
  const auto changed = rereader_.LookAtKubelet();
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->config.log_level, LogLevel::kInfo);
  EXPECT_THAT(Described(rereader_.ReadAgain([](ConfigReading&) {}).faults), IsEmpty());
  WriteKubelet("evictionHard: {memory.available: 3Gi}\n");
  const auto again = rereader_.LookAtKubelet();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->config.log_level, LogLevel::kDebug);
}

TEST_F(LookingAtKubelet, WhatBelongsToItIsReadOnlyWhereTheFilesHaveNoFault) {
  EXPECT_THAT(Described(rereader_.ReadFirst().faults), IsEmpty());
  WriteOurs("this is being written");
  int read = 0;
  EXPECT_FALSE(rereader_.ReadAgain([&read](ConfigReading&) { ++read; }).faults.empty());
  EXPECT_EQ(read, 0);
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
