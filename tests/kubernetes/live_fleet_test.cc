// packaging/kubernetes/fleet-replay.yaml on a real control plane and kubelet: pods that are killed
// and deleted while they work start again, and the result is that of one run, byte for byte.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "cli/simulate/fleet_bed.h"
#include "tests/kubernetes/live_control_plane.h"
#include "tests/live/program.h"

namespace jettison::kube {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr int kFleetNodes = 24;
constexpr int kShards = 4;
constexpr auto kLongestJob = std::chrono::seconds(300);  // of a machine that is busy

std::string FileText(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  EXPECT_THAT(text, HasSubstr(from));
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

class LiveFleet : public testing::Test {
 protected:
  void SetUp() override {
    if (!plane_.missing().empty()) GTEST_SKIP() << plane_.missing();
    for (const char* folder : {"fleet", "results", "policies"}) {
      fs::create_directories(plane_.Path(folder));
    }
    // The pods run as nobody, whatever the umask is here.
    fs::permissions(plane_.Path("results"), fs::perms::all);
    fs::permissions(plane_.Path("fleet"), fs::perms::others_read | fs::perms::others_exec,
                    fs::perm_options::add);
    std::ofstream(plane_.Path("policies/new.yaml"))
        << "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
           "evictionHard: {memory.available: 64Mi}\n";
    const auto life = std::chrono::minutes(20);
    for (int i = 0; i < kFleetNodes; ++i) {
      const std::string node = fmt::format("node-{}", i);
      const std::string path = plane_.Path("fleet/" + node + ".jtr");
      std::ofstream(path, std::ios::binary)
          << BinaryOf(LifeOf(node, static_cast<std::uint32_t>(i), life));
      fs::permissions(path, fs::perms::others_read, fs::perm_options::add);
    }
    const Ran image = plane_.ImportImage();
    ASSERT_EQ(image.status, 0) << image.output;
    AddVolume("fleet-recordings", "fleet", "ReadOnlyMany");
    AddVolume("fleet-results", "results", "ReadWriteMany");
    Must(plane_.Path("kubectl") +
         " create configmap fleet-policies --from-file=" + plane_.Path("policies/new.yaml"));
  }
  void AddVolume(const std::string& claim, const std::string& folder, const std::string& mode) {
    const Ran applied = plane_.Apply(fmt::format(
        R"(
apiVersion: v1
kind: PersistentVolume
metadata: {{name: {0}}}
spec:
  capacity: {{storage: 1Gi}}
  accessModes: [{2}]
  hostPath: {{path: {1}}}
  claimRef: {{namespace: default, name: {0}}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {{name: {0}}}
spec:
  accessModes: [{2}]
  storageClassName: ''
  volumeName: {0}
  resources: {{requests: {{storage: 1Gi}}}}
)",
        claim, plane_.Path(folder), mode));
    ASSERT_EQ(applied.status, 0) << applied.output;
  }
  // The Job as it is in packaging/kubernetes, with fewer shards, which want less of this machine.
  // Policies are where they are outside, because they are named after their files.
  [[nodiscard]] std::string Job() const {
    std::string job = FileText(std::string(JETTISON_PACKAGING) + "/fleet-replay.yaml");
    job = Replaced(job, "completions: 16", fmt::format("completions: {}", kShards));
    job = Replaced(job, "parallelism: 16", fmt::format("parallelism: {}", kShards));
    job = Replaced(job, "INDEX)/16", fmt::format("INDEX)/{}", kShards));
    job = Replaced(job, "--policy=/policies/", "--policy=" + plane_.Path("policies/"));
    job = Replaced(job, "mountPath: /policies", "mountPath: " + plane_.Path("policies"));
    return Replaced(job, "cpu: \"1\"", "cpu: 10m");
  }
  // Until the shard is at work, or was over at once.
  [[nodiscard]] bool AwaitWork(int shard) const {
    const std::string result =
        plane_.Path(fmt::format("results/shard-{:05}-of-{:05}.ndjson", shard, kShards));
    const std::string looks = "pgrep -f -- " + Argument(shard);
    return Until([&] { return RunShell(looks).status == 0 || fs::exists(result); }, kLongestJob);
  }
  // Of its process, and of none that looks for it.
  [[nodiscard]] static std::string Argument(int shard) {
    return fmt::format("'^/usr/bin/jettison.* --shard={}/{}'", shard, kShards);
  }
  // What the cluster says of the Job, for whoever reads that it failed.
  [[nodiscard]] std::string State() const {
    return plane_.Kubectl("get pods,jobs,nodes -o wide").output +
           plane_.Kubectl("describe pods -l job-name=fleet-replay").output +
           plane_.Kubectl("logs -l job-name=fleet-replay --prefix").output;
  }
  [[nodiscard]] static std::string SumOf(const std::string& results) {
    const Ran sum =
        RunShell(fmt::format("{0} simulate --sum {1} && {0} simulate --sum {1} --output json",
                             Quoted(JETTISON_BINARY), results));
    EXPECT_EQ(sum.status, 0) << sum.output;
    return sum.output;
  }

  LiveControlPlane plane_{"", "persistentvolume-binder-controller"};
};

TEST_F(LiveFleet, ShardsThatAreKilledComeAgainAndTheResultIsThatOfOneRun) {
  const Ran applied = plane_.Apply(Job());
  ASSERT_EQ(applied.status, 0) << applied.output;
  // One shard is killed, and the pod of another one deleted, both at work.
  ASSERT_TRUE(AwaitWork(1)) << State();
  Must("pkill -KILL -f -- " + Argument(1));
  ASSERT_TRUE(AwaitWork(2)) << State();
  const Ran deleted =
      plane_.Kubectl("delete pod --now -l batch.kubernetes.io/job-completion-index=2 --wait=false");
  EXPECT_THAT(deleted.output, HasSubstr("fleet-replay-2"));
  const Ran waited = plane_.Kubectl(fmt::format(
      "wait --for=condition=complete job/fleet-replay --timeout={}s", kLongestJob.count()));
  ASSERT_EQ(waited.status, 0) << waited.output << State();
  const Ran failed = plane_.Kubectl("get job fleet-replay -o jsonpath='{.status.failed}'");
  EXPECT_GE(std::atoi(failed.output.c_str()), 1) << failed.output;
  // Nothing but the results is there, and what the killed shard had begun to write.
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(plane_.Path("results"))) {
    if (entry.path().extension().string().starts_with(".jettison-")) continue;
    EXPECT_EQ(entry.path().extension(), ".ndjson") << entry.path();
    ++files;
  }
  EXPECT_EQ(files, static_cast<std::size_t>(kShards));

  Must(fmt::format("{} simulate {} --policy={} --shard 0/1 --out {}", Quoted(JETTISON_BINARY),
                   plane_.Path("fleet"), plane_.Path("policies/new.yaml"),
                   plane_.Path("whole.ndjson")));
  const std::string whole = SumOf(plane_.Path("whole.ndjson"));
  EXPECT_THAT(whole, HasSubstr(fmt::format("FLEET  {} nodes", kFleetNodes)));
  EXPECT_EQ(SumOf(plane_.Path("results")), whole);
}

}  // namespace
}  // namespace jettison::kube
